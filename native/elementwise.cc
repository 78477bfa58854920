#include "elementwise.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "slices.h"

namespace stratagem {
namespace {

// Elements at a time: so many of some ten results lie in the first-level cache.
constexpr int64_t kBlock = 512;
constexpr int64_t kElementsOfSlice = 1 << 16;

#define INLINED inline __attribute__((always_inline))
// A result may lie where one of its operands does, but no element depends on a different one.
#ifdef __clang__
#define EACH_BY_ITSELF _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH_BY_ITSELF _Pragma("GCC ivdep")
#endif

void Require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

int64_t OperandsOf(Operation operation) {
  if (operation >= Operation::kMultiplyAdd) return 3;
  return operation >= Operation::kNegate ? 1 : 2;
}

// Where the results of a program's instructions lie: in blocks of memory, each of which is used again when nothing needs what is in
// it, or where a result of the program goes.
struct Places {
  std::vector<int64_t> block;           // of each instruction
  std::vector<int64_t> last_use_of_array;  // the last instruction that reads it
  int64_t blocks = 0;

  explicit Places(const ElementwiseProgram& program)
      : block(program.instructions.size()), last_use_of_array(program.arrays, -1) {
    size_t n = program.instructions.size();
    std::vector<size_t> last_use(n, 0);
    for (size_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k < OperandsOf(program.instructions[i].operation); ++k) {
        const Operand& operand = program.instructions[i].operands[k];
        if (operand.source == Source::kResult) last_use[operand.index] = i;
        if (operand.source == Source::kArray) last_use_of_array[operand.index] = i;
      }
    }
    for (int64_t result : program.results) last_use[result] = n;
    std::vector<int64_t> free;
    for (size_t i = 0; i < n; ++i) {
      if (free.empty()) free.push_back(blocks++);
      block[i] = free.back();
      free.pop_back();
      for (size_t before = 0; before < i; ++before) {
        if (last_use[before] == i) free.push_back(block[before]);
      }
    }
  }
};

// An operand's elements in a block: neighbours, or one for all of them.
struct Values {
  const float* first;
  bool one;
};

INLINED float Maximum(float a, float b) { return a != a ? a : (b != b ? b : (a > b ? a : b)); }
INLINED float Minimum(float a, float b) { return a != a ? a : (b != b ? b : (a < b ? a : b)); }
INLINED float Sign(float a) { return a > 0 ? 1.0f : (a < 0 ? -1.0f : a); }

template <typename Function>
INLINED void OfOne(const Values& a, float* result, int64_t n, const Function& function) {
  if (a.one) {
    std::fill(result, result + n, function(*a.first));
  } else {
    EACH_BY_ITSELF
    for (int64_t i = 0; i < n; ++i) result[i] = function(a.first[i]);
  }
}

template <typename Function>
INLINED void OfTwo(const Values& a, const Values& b, float* result, int64_t n, const Function& function) {
  const float x = *a.first, y = *b.first;
  if (a.one && b.one) {
    std::fill(result, result + n, function(x, y));
  } else if (a.one) {
    EACH_BY_ITSELF
    for (int64_t i = 0; i < n; ++i) result[i] = function(x, b.first[i]);
  } else if (b.one) {
    EACH_BY_ITSELF
    for (int64_t i = 0; i < n; ++i) result[i] = function(a.first[i], y);
  } else {
    EACH_BY_ITSELF
    for (int64_t i = 0; i < n; ++i) result[i] = function(a.first[i], b.first[i]);
  }
}

// The function is one of a * b and c.
template <typename Function>
INLINED void OfThree(const Values& a, const Values& b, const Values& c, float* result, int64_t n,
                     const Function& function) {
  const float y = *b.first;
  if (a.one) {
    const float x = *a.first;
    OfTwo(b, c, result, n, [&](float b, float c) { return function(x, b, c); });
  } else if (b.one) {
    OfTwo(a, c, result, n, [&](float a, float c) { return function(a, y, c); });
  } else if (c.one) {
    const float z = *c.first;
    EACH_BY_ITSELF
    for (int64_t i = 0; i < n; ++i) result[i] = function(a.first[i], b.first[i], z);
  } else {
    EACH_BY_ITSELF
    for (int64_t i = 0; i < n; ++i) result[i] = function(a.first[i], b.first[i], c.first[i]);
  }
}

INLINED void Compute(Operation operation, const Values* of, float* result, int64_t n) {
  switch (operation) {
    case Operation::kAdd:
      return OfTwo(of[0], of[1], result, n, [](float a, float b) { return a + b; });
    case Operation::kSubtract:
      return OfTwo(of[0], of[1], result, n, [](float a, float b) { return a - b; });
    case Operation::kMultiply:
      return OfTwo(of[0], of[1], result, n, [](float a, float b) { return a * b; });
    case Operation::kDivide:
      return OfTwo(of[0], of[1], result, n, [](float a, float b) { return a / b; });
    case Operation::kMaximum:
      return OfTwo(of[0], of[1], result, n, [](float a, float b) { return Maximum(a, b); });
    case Operation::kMinimum:
      return OfTwo(of[0], of[1], result, n, [](float a, float b) { return Minimum(a, b); });
    case Operation::kNegate:
      return OfOne(of[0], result, n, [](float a) { return -a; });
    case Operation::kMagnitude:
      return OfOne(of[0], result, n, [](float a) { return std::fabs(a); });
    case Operation::kSign:
      return OfOne(of[0], result, n, [](float a) { return Sign(a); });
    case Operation::kSquareRoot:
      return OfOne(of[0], result, n, [](float a) { return __builtin_sqrtf(a); });
    case Operation::kReciprocalSquareRoot:
      return OfOne(of[0], result, n, [](float a) { return 1.0f / __builtin_sqrtf(a); });
    case Operation::kMultiplyAdd:
      return OfThree(of[0], of[1], of[2], result, n, [](float a, float b, float c) { return a * b + c; });
    case Operation::kMultiplySubtract:
      return OfThree(of[0], of[1], of[2], result, n, [](float a, float b, float c) { return a * b - c; });
    case Operation::kSubtractMultiplied:
      return OfThree(of[0], of[1], of[2], result, n, [](float a, float b, float c) { return c - a * b; });
  }
}

// Where each instruction writes and reads the first block of an update's elements, and by how much that moves from block to block.
struct Pointer {
  float* first;
  int64_t step;  // 1, or 0 for memory that each block uses again
};

// A result of the program is written where it belongs at once, unless an array that is read later lies there.
std::vector<Pointer> PointersOf(const Update& update, const Places& places, float* memory) {
  const ElementwiseProgram& program = *update.program;
  std::vector<Pointer> pointers;
  for (int64_t block : places.block) pointers.push_back({memory + block * kBlock, 0});
  for (size_t r = 0; r < program.results.size(); ++r) {
    int64_t instruction = program.results[r];
    bool read_later = false;
    for (size_t a = 0; a < update.arrays.size(); ++a) {
      read_later |= update.arrays[a] == update.results[r] && places.last_use_of_array[a] > instruction;
    }
    if (!read_later) pointers[instruction] = {update.results[r], 1};
  }
  return pointers;
}

// Runs an update's elements from one to before another, block by block.
INLINED void RunBlocks(const Update& update, const Places& places, float* memory, int64_t from, int64_t to) {
  const ElementwiseProgram& program = *update.program;
  const std::vector<Pointer> pointers = PointersOf(update, places, memory);
  for (int64_t begin = from; begin < to; begin += kBlock) {
    int64_t n = std::min(kBlock, to - begin);
    auto result = [&](int64_t instruction) { return pointers[instruction].first + pointers[instruction].step * begin; };
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction& instruction = program.instructions[i];
      Values of[3];
      for (int64_t k = 0; k < OperandsOf(instruction.operation); ++k) {
        int64_t index = instruction.operands[k].index;
        switch (instruction.operands[k].source) {
          case Source::kArray:
            of[k] = {update.arrays[index] + begin, false};
            break;
          case Source::kScalar:
            of[k] = {&update.scalars[index], true};
            break;
          case Source::kConstant:
            of[k] = {&program.constants[index], true};
            break;
          case Source::kResult:
            of[k] = {result(index), false};
            break;
        }
      }
      Compute(instruction.operation, of, result(i), n);
    }
    for (size_t r = 0; r < program.results.size(); ++r) {
      const float* written = result(program.results[r]);
      float* to_write = update.results[r] + begin;
      if (written != to_write) std::copy(written, written + n, to_write);
    }
  }
}

// Unlike copies that a loader chooses from, which GCC makes for a processor's name or for one feature, these have two.
__attribute__((target("avx512f,fma"))) void RunWithAvx512(const Update& u, const Places& p, float* m, int64_t from, int64_t to) {
  RunBlocks(u, p, m, from, to);
}
__attribute__((target("avx2,fma"))) void RunWithAvx2(const Update& u, const Places& p, float* m, int64_t from, int64_t to) {
  RunBlocks(u, p, m, from, to);
}
void RunWithSse(const Update& u, const Places& p, float* m, int64_t from, int64_t to) { RunBlocks(u, p, m, from, to); }

auto RunHere() {
  bool fma = __builtin_cpu_supports("fma");
  if (fma && __builtin_cpu_supports("avx512f")) return RunWithAvx512;
  return fma && __builtin_cpu_supports("avx2") ? RunWithAvx2 : RunWithSse;
}

}  // namespace

void ElementwiseProgram::Check() const {
  Require(!instructions.empty() && arrays > 0 && scalars >= 0, "a program must have instructions and arrays");
  int64_t constants_here = constants.size();
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    Require(instruction.operation >= Operation::kAdd && instruction.operation <= Operation::kSubtractMultiplied,
            "there is no such operation");
    for (int64_t k = 0; k < OperandsOf(instruction.operation); ++k) {
      const Operand& operand = instruction.operands[k];
      Require(operand.source >= Source::kArray && operand.source <= Source::kResult, "there is no such source of operands");
      const int64_t counts[] = {arrays, scalars, constants_here, static_cast<int64_t>(i)};
      int64_t count = counts[static_cast<int64_t>(operand.source)];
      Require(operand.index >= 0 && operand.index < count, "an operand is not there");
    }
  }
  for (int64_t result : results) {
    Require(result >= 0 && result < static_cast<int64_t>(instructions.size()), "a result is not there");
  }
}

void Run(xla::ffi::ThreadPool& pool, const std::vector<Update>& updates) {
  static const auto run = RunHere();
  std::unordered_map<const ElementwiseProgram*, Places> places;
  int64_t elements = 0, most_blocks = 0;
  for (const Update& update : updates) {
    auto [known, _] = places.try_emplace(update.program, *update.program);
    most_blocks = std::max(most_blocks, known->second.blocks);
    elements += update.length;
  }
  int64_t slices = std::max<int64_t>(elements / kElementsOfSlice, 1);
  RunSlices(pool, slices, [&](int64_t slice) {
    std::vector<float> memory(most_blocks * kBlock);
    int64_t from = elements * slice / slices, to = elements * (slice + 1) / slices, before = 0;
    for (const Update& update : updates) {
      int64_t first = std::max<int64_t>(from - before, 0), last = std::min(to - before, update.length);
      if (first < last) run(update, places.at(update.program), memory.data(), first, last);
      before += update.length;
    }
  });
}

}  // namespace stratagem
