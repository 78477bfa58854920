#include "product.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "oneapi/dnnl/dnnl.hpp"
#include "slices.h"

namespace stratagem {
namespace {

constexpr int64_t kLargest = int64_t{1} << 40;  // of a size or a stride
constexpr int64_t kOperationsOfSlice = 4'000'000;
constexpr int64_t kMostSlices = 8;
constexpr size_t kMostBatchAxes = 8;

void Require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

Product::Axis AxisOf(const int64_t* numbers) {
  for (int i = 0; i < 4; ++i) Require(numbers[i] >= 0 && numbers[i] < kLargest, "sizes and strides must not be negative");
  Require(numbers[0] > 0, "sizes must be positive");
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

Product::Axis AxisOf(const std::vector<int64_t>& numbers) {
  Require(numbers.size() == 4, "an axis has a size and three strides");
  return AxisOf(numbers.data());
}

// A matrix as BLAS has it: rows one after another, `leading` elements apart, or columns if it is transposed.
struct Matrix {
  char transposed;
  int64_t leading;

  static Matrix Of(int64_t rows, int64_t columns, int64_t between_rows, int64_t between_columns) {
    bool transposed = between_columns != 1 && columns > 1;
    Require(!transposed || between_rows == 1 || rows == 1, "rows or columns of a matrix must be neighbours in memory");
    // A single row, or column, has no distance to the next: BLAS wants a number that is large enough.
    if (transposed) return {'T', std::max(between_columns, rows)};
    return {'N', rows == 1 ? std::max(between_rows, columns) : between_rows};
  }
};

}  // namespace

Product Product::Of(const std::vector<int64_t>& batch, const std::vector<int64_t>& rows, const std::vector<int64_t>& columns,
                    const std::vector<int64_t>& shared) {
  Require(batch.size() % 4 == 0 && batch.size() / 4 <= kMostBatchAxes, "an axis has a size and three strides");
  Product product{{}, AxisOf(rows), AxisOf(columns), AxisOf(shared)};
  for (size_t i = 0; i < batch.size(); i += 4) product.batch.push_back(AxisOf(batch.data() + i));
  return product;
}

void Product::Check(int64_t in_x, int64_t in_y, int64_t in_result) const {
  auto inside = [this](int64_t Axis::*stride, int64_t count) {
    // Each term is compared before it is added: none overflows.
    int64_t left = count - 1;
    auto take = [&](const Axis& axis) {
      Require(axis.size == 1 || axis.*stride <= left / (axis.size - 1), "strides lead out of an operand or the result");
      left -= (axis.size - 1) * (axis.*stride);
    };
    for (const Axis& axis : batch) take(axis);
    take(rows);
    take(columns);
    take(shared);
    Require(left >= 0, "operands and result must not be empty");
  };
  inside(&Axis::in_x, in_x);
  inside(&Axis::in_y, in_y);
  inside(&Axis::in_result, in_result);
  Require(shared.in_result == 0 && columns.in_x == 0 && rows.in_y == 0, "an array has strides of axes that it does not have");
}

void Product::Run(xla::ffi::ThreadPool& pool, const float* x, const float* y, float* result) const {
  int64_t matrices = 1;
  for (const Axis& axis : batch) matrices *= axis.size;
  const Matrix of_x = Matrix::Of(rows.size, shared.size, rows.in_x, shared.in_x);
  const Matrix of_y = Matrix::Of(shared.size, columns.size, shared.in_y, columns.in_y);
  const Matrix of_result = Matrix::Of(rows.size, columns.size, rows.in_result, columns.in_result);
  Require(of_result.transposed == 'N', "columns of the result must be neighbours in memory");

  double operations = 2.0 * matrices * rows.size * columns.size * shared.size;
  int64_t wanted = std::max<int64_t>(1, std::min<double>(kMostSlices, operations / kOperationsOfSlice));
  // Whole matrices where there are enough; else each is cut along its longer side. By shapes alone, as in convolutions.
  bool by_rows = rows.size >= columns.size;
  int64_t side = by_rows ? rows.size : columns.size;
  int64_t parts = std::min((wanted + matrices - 1) / matrices, side);
  int64_t pieces = matrices * parts, slices = std::min(wanted, pieces);

  RunSlices(pool, slices, [&](int64_t slice) {
    for (int64_t piece = pieces * slice / slices, end = pieces * (slice + 1) / slices; piece < end; ++piece) {
      int64_t rest = piece / parts, part = piece % parts;
      const float* a = x;
      const float* b = y;
      float* c = result;
      for (size_t i = batch.size(); i-- > 0;) {
        int64_t at = rest % batch[i].size;
        rest /= batch[i].size;
        a += at * batch[i].in_x;
        b += at * batch[i].in_y;
        c += at * batch[i].in_result;
      }
      int64_t from = side * part / parts, count = side * (part + 1) / parts - from;
      if (by_rows) {
        a += from * rows.in_x;
        c += from * rows.in_result;
      } else {
        b += from * columns.in_y;
        c += from * columns.in_result;
      }
      dnnl::status status = static_cast<dnnl::status>(
          dnnl_sgemm(of_x.transposed, of_y.transposed, by_rows ? count : rows.size, by_rows ? columns.size : count, shared.size, 1.0f, a,
                     of_x.leading, b, of_y.leading, 0.0f, c, of_result.leading));
      if (status != dnnl::status::success) throw dnnl::error(static_cast<dnnl_status_t>(status), "sgemm");
    }
  });
}

}  // namespace stratagem
