// Sums over windows of channels-last signals, images and volumes, and their transpose.
#pragma once

#include <cstdint>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace stratagem {

// Windows over the places of (batch, places..., channels).
struct Windows {
  std::vector<int64_t> images, results;
  std::vector<int64_t> size, strides, low, high;  // for each dimension of places; low, high: padding around the images

  // Throws std::invalid_argument unless these describe windows, each of which has an element of the images.
  void Check() const;

  // Writes the sum of each window.
  void Sum(xla::ffi::ThreadPool& pool, const float* images, float* sums) const;

  // The transpose of Sum: writes to each element the sum of what the windows have that it is in.
  void Spread(xla::ffi::ThreadPool& pool, const float* sums, float* images) const;
};

}  // namespace stratagem
