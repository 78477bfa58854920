// Plans: what oneDNN has prepared for a shape, kept for the next call. A bounded number of bytes of them.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "oneapi/dnnl/dnnl.hpp"

namespace stratagem {

// One convolution, forward or one of its gradients, for operands of one shape.
struct Plan {
  dnnl::primitive primitive;
  // How the primitive wants its operands. Images and results lie as in XLA; filters may be in an order of oneDNN's own.
  dnnl::memory::desc images, filters, results, scratch;
  dnnl::memory::desc filters_of_xla;
  // Between the two orders of filters, in the direction that this kind of call needs; empty where they are the same.
  dnnl::reorder reorder;
  size_t scratch_of_reorder = 0;  // bytes

  bool Reorders() const { return static_cast<bool>(reorder); }
};

// Those used last, of as many bytes as fit. Safe to use from several threads.
class Plans {
 public:
  explicit Plans(size_t most_bytes) : most_bytes_(most_bytes) {}

  // Returns the plan with that key, or what `make` makes. A caller keeps its plan while it uses it, evicted or not.
  std::shared_ptr<const Plan> Get(const std::string& key, const std::function<Plan()>& make);

  // About how many bytes they have.
  size_t Bytes();

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Plan> plan;
    size_t bytes;
  };

  const size_t most_bytes_;
  std::mutex mutex_;
  size_t bytes_ = 0;
  std::list<Entry> by_use_;  // the last used first
  std::unordered_map<std::string, std::list<Entry>::iterator> known_;
};

}  // namespace stratagem
