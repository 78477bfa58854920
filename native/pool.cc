#include "pool.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "slices.h"

namespace stratagem {
namespace {

constexpr int64_t kLargest = int64_t{1} << 31;
constexpr int64_t kElementsOfSlice = 1 << 16;
constexpr int64_t kMostSlices = 8;

// Compiled for each of these instruction sets; the one that the machine has is chosen when the library is loaded.
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
// What is not inlined there would be compiled for the least of them.
#define INLINED inline __attribute__((always_inline))
#define INLINED_LAMBDA __attribute__((always_inline))

void Require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

// The same windows in three dimensions: those that are missing have one place.
struct Grid {
  std::array<int64_t, 3> images, results, size, strides, low;
  int64_t channels;

  int64_t ElementsOfImage() const { return images[0] * images[1] * images[2] * channels; }
  int64_t ElementsOfResult() const { return results[0] * results[1] * results[2] * channels; }
};

Grid GridOf(const Windows& w) {
  Grid grid{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, w.images.back()};
  size_t missing = 3 - w.size.size();
  for (size_t i = 0; i < w.size.size(); ++i) {
    grid.images[missing + i] = w.images[i + 1];
    grid.results[missing + i] = w.results[i + 1];
    grid.size[missing + i] = w.size[i];
    grid.strides[missing + i] = w.strides[i];
    grid.low[missing + i] = w.low[i];
  }
  return grid;
}

// Eight neighbouring channels: a register of AVX2, half of one of AVX-512.
constexpr int64_t kLanes = 8;
using Floats = float __attribute__((vector_size(32)));

// So many of them; the others are zeros. The number is a constant, so that the copy is one instruction.
template <typename Vector, typename Element, typename Lanes>
INLINED Vector Loaded(const Element* from, Lanes) {
  Vector values = {};
  std::memcpy(&values, from, Lanes::value * sizeof(Element));
  return values;
}

template <typename Vector, typename Element, typename Lanes>
INLINED void Store(const Vector& values, Element* to, Lanes) {
  std::memcpy(to, &values, Lanes::value * sizeof(Element));
}

// Calls each(channel, lanes) for all channels: eight at a time, then four, two and one.
template <typename Each>
INLINED void ForEachLanes(int64_t channels, const Each& each) {
  int64_t channel = 0;
  for (; channel + kLanes <= channels; channel += kLanes) each(channel, std::integral_constant<int, kLanes>());
  if (channels & 4) each(channel, std::integral_constant<int, 4>());
  if (channels & 2) each(channel + (channels & 4), std::integral_constant<int, 2>());
  if (channels & 1) each(channels - 1, std::integral_constant<int, 1>());
}

// Calls visit(offset) for the places of the window that begins at these places of the image, but for padding, in order.
// offset: of the place's channels in the image.
template <typename Visit>
INLINED void ForEachPlace(const Grid& g, int64_t a0, int64_t b0, int64_t c0, const Visit& visit) {
  int64_t from_i = std::max<int64_t>(0, -a0), to_i = std::min(g.size[0], g.images[0] - a0);
  int64_t from_j = std::max<int64_t>(0, -b0), to_j = std::min(g.size[1], g.images[1] - b0);
  int64_t from_k = std::max<int64_t>(0, -c0), to_k = std::min(g.size[2], g.images[2] - c0);
  for (int64_t i = from_i; i < to_i; ++i) {
    for (int64_t j = from_j; j < to_j; ++j) {
      int64_t row = ((a0 + i) * g.images[1] + b0 + j) * g.images[2] + c0;
      for (int64_t k = from_k; k < to_k; ++k) visit((row + k) * g.channels);
    }
  }
}

// Calls each(offset, a0, b0, c0) for all windows of an image: where the window's channels are in the result, and where in the
// image it begins.
template <typename Each>
INLINED void ForEachWindow(const Grid& g, const Each& each) {
  int64_t window = 0;
  for (int64_t a = 0; a < g.results[0]; ++a) {
    for (int64_t b = 0; b < g.results[1]; ++b) {
      for (int64_t c = 0; c < g.results[2]; ++c, window += g.channels) {
        each(window, a * g.strides[0] - g.low[0], b * g.strides[1] - g.low[1], c * g.strides[2] - g.low[2]);
      }
    }
  }
}

// The windows along one dimension that have the element at `at`: from the first to before the last.
struct Range {
  int64_t first, last;
};

INLINED Range WindowsWith(const Grid& g, int dimension, int64_t at) {
  int64_t padded = at + g.low[dimension], size = g.size[dimension], stride = g.strides[dimension];
  int64_t first = padded < size ? 0 : (padded - size) / stride + 1;
  return {first, std::min(padded / stride + 1, g.results[dimension])};
}

FOR_EACH_PROCESSOR
void SpreadToImage(const Grid& g, const float* sums, float* image) {
  float* to = image;
  for (int64_t a = 0; a < g.images[0]; ++a) {
    Range in_a = WindowsWith(g, 0, a);
    for (int64_t b = 0; b < g.images[1]; ++b) {
      Range in_b = WindowsWith(g, 1, b);
      for (int64_t c = 0; c < g.images[2]; ++c, to += g.channels) {
        Range in_c = WindowsWith(g, 2, c);
        ForEachLanes(g.channels, [&](int64_t channel, auto lanes) INLINED_LAMBDA {
          Floats sum = {};
          for (int64_t o = in_a.first; o < in_a.last; ++o) {
            for (int64_t p = in_b.first; p < in_b.last; ++p) {
              for (int64_t q = in_c.first; q < in_c.last; ++q) {
                int64_t window = ((o * g.results[1] + p) * g.results[2] + q) * g.channels;
                sum += Loaded<Floats>(sums + window + channel, lanes);
              }
            }
          }
          Store(sum, to + channel, lanes);
        });
      }
    }
  }
}

FOR_EACH_PROCESSOR
void SumOfImage(const Grid& g, const float* image, float* sums) {
  ForEachWindow(g, [&](int64_t window, int64_t a0, int64_t b0, int64_t c0) INLINED_LAMBDA {
    ForEachLanes(g.channels, [&](int64_t channel, auto lanes) INLINED_LAMBDA {
      Floats sum = {};
      ForEachPlace(g, a0, b0, c0, [&](int64_t row) INLINED_LAMBDA { sum += Loaded<Floats>(image + row + channel, lanes); });
      Store(sum, sums + window + channel, lanes);
    });
  });
}

// Runs of_image(number) for each image of the batch. How many slices there are depends on shapes alone.
template <typename OfImage>
void ForEachImage(const Windows& w, const Grid& g, xla::ffi::ThreadPool& pool, const OfImage& of_image) {
  int64_t batch = w.images.front();
  int64_t slices = std::clamp<int64_t>(batch * g.ElementsOfImage() / kElementsOfSlice, 1, std::min(batch, kMostSlices));
  RunSlices(pool, slices, [&](int64_t slice) {
    for (int64_t n = batch * slice / slices, end = batch * (slice + 1) / slices; n < end; ++n) of_image(n);
  });
}

}  // namespace

void Windows::Check() const {
  size_t rank = images.size();
  Require(rank >= 3 && rank <= 5, "images must have one to three dimensions of places");
  Require(results.size() == rank, "images and results must have the same rank");
  for (const auto* each : {&size, &strides, &low, &high}) {
    Require(each->size() == rank - 2, "windows must have a value for each dimension of places");
  }
  for (const auto* each : {&images, &results, &size, &strides}) {
    for (int64_t n : *each) Require(n > 0 && n < kLargest, "sizes and strides must be positive");
  }
  Require(images.front() == results.front() && images.back() == results.back(), "batch and channels must be the same");
  for (size_t i = 0; i < rank - 2; ++i) {
    Require(low[i] >= 0 && high[i] >= 0 && low[i] < size[i] && high[i] < size[i], "padding must be smaller than the window");
    int64_t left = images[i + 1] + low[i] + high[i] - size[i];
    Require(left >= 0 && results[i + 1] == left / strides[i] + 1, "results must have a place for each window");
  }
}

void Windows::Sum(xla::ffi::ThreadPool& pool, const float* images, float* sums) const {
  const Grid g = GridOf(*this);
  ForEachImage(*this, g, pool, [&](int64_t n) {
    SumOfImage(g, images + n * g.ElementsOfImage(), sums + n * g.ElementsOfResult());
  });
}

void Windows::Spread(xla::ffi::ThreadPool& pool, const float* sums, float* images) const {
  const Grid g = GridOf(*this);
  ForEachImage(*this, g, pool, [&](int64_t n) {
    SpreadToImage(g, sums + n * g.ElementsOfResult(), images + n * g.ElementsOfImage());
  });
}

}  // namespace stratagem
