#include "plans.h"

#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>

namespace stratagem {
namespace {

// What a plan is taken to have if the C library does not tell.
constexpr size_t kUsualBytes = 128 << 10;
constexpr size_t kLeastBytes = 32 << 10;
// Generated code lies in pages of its own, of which it fills a part: 1,500 plans grew a process by 1.5 to 2.3 times what they had
// asked for.
constexpr size_t kBytesForOne = 2;

// Bytes in use, as the C library counts them, or 0: mallinfo2 came with version 2.33.
size_t BytesInUse() {
  using Information = struct mallinfo2 (*)();
  static const auto information = reinterpret_cast<Information>(dlsym(RTLD_DEFAULT, "mallinfo2"));
  if (information == nullptr) return 0;
  struct mallinfo2 found = information();
  return found.uordblks + found.hblkhd;
}

// Other threads take and give memory meanwhile, so a difference is only likely.
size_t BytesOfPlan(size_t before, size_t after) {
  if (after <= before) return kUsualBytes;
  return std::clamp(kBytesForOne * (after - before), kLeastBytes, 16 * kUsualBytes);
}

}  // namespace

std::shared_ptr<const Plan> Plans::Get(const std::string& key, const std::function<Plan()>& make) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto known = known_.find(key);
    if (known != known_.end()) {
      by_use_.splice(by_use_.begin(), by_use_, known->second);
      return known->second->plan;
    }
  }
  // Without the lock: making one takes a millisecond, in which other threads may need theirs. Two may make the same one.
  size_t before = BytesInUse();
  auto plan = std::make_shared<const Plan>(make());
  size_t bytes = BytesOfPlan(before, BytesInUse());
  std::lock_guard<std::mutex> lock(mutex_);
  auto known = known_.find(key);
  if (known != known_.end()) return known->second->plan;
  by_use_.push_front({key, plan, bytes});
  known_[key] = by_use_.begin();
  bytes_ += bytes;
  while (bytes_ > most_bytes_) {
    bytes_ -= by_use_.back().bytes;
    known_.erase(by_use_.back().key);
    by_use_.pop_back();
  }
  return plan;
}

size_t Plans::Bytes() {
  std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

}  // namespace stratagem
