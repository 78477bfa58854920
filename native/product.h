// Products of float32 matrices, or of batches of them, that lie in memory in whatever order their program has them.
#pragma once

#include <cstdint>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace stratagem {

// result[b, i, j] = sum of x[b, i, k] y[b, k, j] over k. Strides count elements; of each matrix one is 1.
struct Product {
  struct Axis {
    int64_t size, in_x, in_y, in_result;  // a stride is 0 where the array does not have the axis
  };

  std::vector<Axis> batch;
  Axis rows, columns, shared;

  // From attributes of a call: for each axis its size and three strides. Throws std::invalid_argument.
  static Product Of(const std::vector<int64_t>& batch, const std::vector<int64_t>& rows, const std::vector<int64_t>& columns,
                    const std::vector<int64_t>& shared);

  // Throws std::invalid_argument unless all elements lie in arrays of so many.
  void Check(int64_t in_x, int64_t in_y, int64_t in_result) const;

  void Run(xla::ffi::ThreadPool& pool, const float* x, const float* y, float* result) const;
};

}  // namespace stratagem
