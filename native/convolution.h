// Convolutions of channels-last signals, images and volumes, and both their gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plans.h"

namespace stratagem {

constexpr size_t kAligned = 64;
inline size_t Aligned(size_t bytes) { return (bytes + kAligned - 1) / kAligned * kAligned; }

const dnnl::engine& Engine();
Plans& KnownPlans();

enum class Kind : int64_t { kForward = 0, kOfInput = 1, kOfFilters = 2 };

using Sizes = std::vector<int64_t>;

// One convolution, as TensorFlow describes it. All three kinds of a call are of the same one.
struct Convolution {
  Sizes images;   // (batch, places..., channels in), one to three dimensions of places
  Sizes filters;  // (window..., channels in / groups, channels out)
  Sizes results;  // (batch, places..., channels out)
  // For each dimension of places. low, high: zeros around the images.
  Sizes strides, low, high, dilation;
  int64_t groups;
  dnnl::memory::data_type type;

  // Throws std::invalid_argument if these do not describe a convolution of at least one product.
  void Check() const;

  // The same of `batch` images.
  Convolution OfBatch(int64_t batch) const;

  std::shared_ptr<const Plan> PlanOf(Kind kind) const;
};

// How a call is cut: along the batch, and with what memory each slice works. It depends on the convolution alone, and not on the
// number of threads, so that the bits of a result do not either.
struct Cut {
  int64_t slices, images;  // of each slice; the last may have fewer
  std::shared_ptr<const Plan> plan, last;
  // Bytes, each a multiple of kAligned: filters in oneDNN's order, and of each slice sums of filters, and scratch memory.
  size_t filters = 0, sums = 0, scratch = 0;

  // All together, with what is skipped to begin at a multiple of kAligned.
  size_t Bytes() const { return kAligned + filters + slices * (sums + scratch); }
};

Cut CutOf(Kind kind, const Convolution& convolution);

}  // namespace stratagem
