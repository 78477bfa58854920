// Errors of a call: nothing that is thrown leaves the library.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "oneapi/dnnl/dnnl.hpp"
#include "xla/ffi/api/ffi.h"

namespace stratagem {

// Runs a call's body, and returns what it throws as the error of that call.
template <typename Body>
xla::ffi::Error ErrorOf(const char* call, Body&& body) noexcept {
  using xla::ffi::Error;
  try {
    body();
    return Error::Success();
  } catch (const std::invalid_argument& error) {
    return Error::InvalidArgument(std::string(call) + ": " + error.what());
  } catch (const dnnl::error& error) {
    std::string message = std::string(call) + ": oneDNN: " + error.what();
    bool memory = error.status == dnnl_out_of_memory;
    return memory ? Error(xla::ffi::ErrorCode::kResourceExhausted, message) : Error::Internal(message);
  } catch (const std::bad_alloc&) {
    return Error(xla::ffi::ErrorCode::kResourceExhausted, std::string(call) + ": out of memory");
  } catch (const std::exception& error) {
    return Error::Internal(std::string(call) + ": " + error.what());
  } catch (...) {
    return Error::Internal(std::string(call) + ": an unknown exception");
  }
}

}  // namespace stratagem
