// Element-wise programs over arrays: an optimizer's update of its variables, all in one call.
#pragma once

#include <cstdint>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace stratagem {

// The numbers are those of Python's `_kernels/_update.py`.
enum class Operation : int64_t {
  kAdd = 0,
  kSubtract = 1,
  kMultiply = 2,
  kDivide = 3,
  kMaximum = 4,
  kMinimum = 5,
  kNegate = 6,
  kMagnitude = 7,
  kSign = 8,
  kSquareRoot = 9,
  kReciprocalSquareRoot = 10,
  kMultiplyAdd = 11,        // a * b + c
  kMultiplySubtract = 12,   // a * b - c
  kSubtractMultiplied = 13,  // c - a * b
};

// Where an operand comes from.
enum class Source : int64_t { kArray = 0, kScalar = 1, kConstant = 2, kResult = 3 };

struct Operand {
  Source source;
  int64_t index;
};

// Its result is the one of that number for the instructions after it.
struct Instruction {
  Operation operation;
  Operand operands[3];
};

// What is computed for each element of arrays that have the same length.
struct ElementwiseProgram {
  int64_t arrays, scalars;
  std::vector<float> constants;
  std::vector<Instruction> instructions;
  std::vector<int64_t> results;  // the instructions whose results are the program's

  // Throws std::invalid_argument if an instruction has an operand that is not there.
  void Check() const;
};

// A program with its operands. A result may be the same memory as an array.
struct Update {
  const ElementwiseProgram* program;
  int64_t length;
  std::vector<const float*> arrays;
  std::vector<float> scalars;
  std::vector<float*> results;
};

// Computes all of them. How they are cut into slices depends on their lengths alone, and no element's result depends on the cut.
void Run(xla::ffi::ThreadPool& pool, const std::vector<Update>& updates);

}  // namespace stratagem
