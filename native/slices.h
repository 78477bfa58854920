// A call's slices, which run on the threads of XLA's own pool.
#pragma once

#include <cstdint>
#include <functional>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "xla/ffi/api/ffi.h"

namespace stratagem {

// Makes oneDNN compute on the calling thread alone while it lives. Only a oneDNN that was built with OpenMP needs it: the number
// belongs to the thread, which may be Python's own, where other libraries read it.
class OnOneThread {
 public:
#ifdef _OPENMP
  OnOneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OnOneThread() { omp_set_num_threads(before_); }

 private:
  int before_;
#endif
};

// Runs slice(0) to slice(count - 1), each once, on this thread and on those of the pool that are free.
//
// This thread takes slices like the others, and then waits only for slices that are running: a pool that is full, or has a
// single thread, cannot lock. An exception of a slice counts it as done. That of the first slice that threw is thrown again.
void RunSlices(xla::ffi::ThreadPool& pool, int64_t count, const std::function<void(int64_t)>& slice);

}  // namespace stratagem
