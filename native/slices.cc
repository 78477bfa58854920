#include "slices.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace stratagem {
namespace {

// What the threads of one call share. Helpers hold it: one that the pool starts after the call has returned finds no slice left,
// and does not touch the function, which refers to the caller's stack.
class Call {
 public:
  Call(int64_t count, const std::function<void(int64_t)>& slice) : count_(count), slice_(slice), thrown_(count) {}

  void TakeSlices() {
    for (int64_t i; (i = next_.fetch_add(1)) < count_;) {
      try {
        [[maybe_unused]] OnOneThread alone;
        slice_(i);
      } catch (...) {
        thrown_[i] = std::current_exception();
      }
      if (done_.fetch_add(1) + 1 == count_) {
        std::lock_guard<std::mutex> lock(mutex_);
        all_done_.notify_all();
      }
    }
  }

  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    all_done_.wait(lock, [this] { return done_.load() == count_; });
    for (const std::exception_ptr& thrown : thrown_) {
      if (thrown) std::rethrow_exception(thrown);
    }
  }

 private:
  const int64_t count_;
  const std::function<void(int64_t)>& slice_;
  std::vector<std::exception_ptr> thrown_;
  std::atomic<int64_t> next_{0}, done_{0};
  std::mutex mutex_;
  std::condition_variable all_done_;
};

}  // namespace

void RunSlices(xla::ffi::ThreadPool& pool, int64_t count, const std::function<void(int64_t)>& slice) {
  if (count == 1) {
    [[maybe_unused]] OnOneThread alone;
    slice(0);
    return;
  }
  auto call = std::make_shared<Call>(count, slice);
  int64_t helpers = std::min(count, pool.num_threads()) - 1;
  for (int64_t i = 0; i < helpers; ++i) {
    pool.Schedule([call] { call->TakeSlices(); });
  }
  call->TakeSlices();
  call->Wait();
}

}  // namespace stratagem
