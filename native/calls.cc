// The library's calls, as XLA makes them, and what Python asks it before it lowers one.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "convolution.h"
#include "elementwise.h"
#include "errors.h"
#include "pool.h"
#include "product.h"
#include "slices.h"
#include "xla/ffi/api/ffi.h"

namespace stratagem {
namespace {

namespace ffi = xla::ffi;
using dnnl::memory;
using Span = ffi::Span<const int64_t>;

Sizes SizesOf(Span span) { return Sizes(span.begin(), span.end()); }

dnnl::stream& Stream() {
  static thread_local dnnl::stream stream(Engine());
  return stream;
}

memory::data_type TypeOf(ffi::DataType type) {
  switch (type) {
    case ffi::DataType::F32:
      return memory::data_type::f32;
    case ffi::DataType::BF16:
      return memory::data_type::bf16;
    default:
      throw std::invalid_argument("operands must be float32 or bfloat16");
  }
}

// A call's memory besides its operands and results. XLA plans it as one of the results. Only a program that another machine
// compiled, whose oneDNN has other kernels, may have planned too little.
class Workspace {
 public:
  Workspace(void* planned, size_t planned_bytes, const Cut& cut) : cut_(cut) {
    if (planned_bytes < cut.Bytes()) {
      own_.reset(new char[cut.Bytes()]);
      planned = own_.get();
    }
    auto address = reinterpret_cast<uintptr_t>(planned);
    begin_ = reinterpret_cast<char*>((address + kAligned - 1) / kAligned * kAligned);
  }

  void* Filters() const { return begin_; }
  void* Sum(int64_t slice) const { return begin_ + cut_.filters + slice * (cut_.sums + cut_.scratch); }
  void* Scratch(int64_t slice) const { return static_cast<char*>(Sum(slice)) + cut_.sums; }

 private:
  const Cut& cut_;
  std::unique_ptr<char[]> own_;
  char* begin_;
};

struct Operands {
  char *images, *filters, *results;
};

// Of all filters, before the slices of a call or after them.
void Reorder(ffi::ThreadPool& pool, const Plan& plan, const memory::desc& from, void* source, const memory::desc& to, void* target,
             void* scratch) {
  memory::desc bytes({static_cast<int64_t>(plan.scratch_of_reorder)}, memory::data_type::u8, memory::format_tag::a);
  RunSlices(pool, 1, [&](int64_t) {
    plan.reorder.execute(Stream(), {{DNNL_ARG_FROM, memory(from, Engine(), source)},
                                    {DNNL_ARG_TO, memory(to, Engine(), target)},
                                    {DNNL_ARG_SCRATCHPAD, memory(bytes, Engine(), scratch)}});
  });
}

void Execute(Kind kind, const Plan& plan, const Operands& at, void* scratch) {
  bool of_input = kind == Kind::kOfInput, forward = kind == Kind::kForward;
  const dnnl::engine& engine = Engine();
  plan.primitive.execute(
      Stream(),
      {{of_input ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, memory(plan.images, engine, at.images)},
       {kind == Kind::kOfFilters ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, memory(plan.filters, engine, at.filters)},
       {forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, memory(plan.results, engine, at.results)},
       {DNNL_ARG_SCRATCHPAD, memory(plan.scratch, engine, scratch)}});
}

// Adds the slices' sums, in the order of the slices. Sums of bfloat16 are those of one slice: see CutOf.
void AddSums(const Cut& cut, const Workspace& workspace, float* total, ffi::ThreadPool& pool) {
  int64_t count = cut.plan->filters.get_size() / sizeof(float);
  int64_t parts = std::clamp<int64_t>(count / (1 << 17), 1, 8);
  RunSlices(pool, parts, [&](int64_t part) {
    int64_t from = count * part / parts, to = count * (part + 1) / parts;
    for (int64_t slice = 1; slice < cut.slices; ++slice) {
      const float* sum = static_cast<const float*>(workspace.Sum(slice));
      for (int64_t i = from; i < to; ++i) total[i] += sum[i];
    }
  });
}

void Convolve(Kind kind, const Convolution& convolution, Operands at, ffi::ThreadPool& pool, void* planned, size_t planned_bytes) {
  convolution.Check();
  const Cut cut = CutOf(kind, convolution);
  const Workspace workspace(planned, planned_bytes, cut);
  const Plan& plan = *cut.plan;
  char* filters = at.filters;
  if (plan.Reorders()) {
    filters = static_cast<char*>(workspace.Filters());
    if (kind != Kind::kOfFilters) {
      Reorder(pool, plan, plan.filters_of_xla, at.filters, plan.filters, filters, workspace.Scratch(0));
    }
  }
  size_t images = plan.images.get_size(), results = plan.results.get_size();
  RunSlices(pool, cut.slices, [&](int64_t slice) {
    bool last = slice == cut.slices - 1;
    void* own = kind == Kind::kOfFilters && slice > 0 ? workspace.Sum(slice) : filters;
    Execute(kind, last ? *cut.last : plan,
            {at.images + slice * images, static_cast<char*>(own), at.results + slice * results}, workspace.Scratch(slice));
  });
  if (kind != Kind::kOfFilters) return;
  if (cut.slices > 1) AddSums(cut, workspace, reinterpret_cast<float*>(filters), pool);
  if (plan.Reorders()) {
    Reorder(pool, plan, plan.filters, filters, plan.filters_of_xla, at.filters, workspace.Scratch(0));
  }
}

constexpr const char* kNames[] = {"convolution", "gradient of a convolution's input", "gradient of a convolution's filters"};

template <Kind kind>
ffi::Error Call(ffi::ThreadPool pool, ffi::AnyBuffer first, ffi::AnyBuffer second, ffi::Result<ffi::AnyBuffer> result,
                ffi::Result<ffi::AnyBuffer> scratch, Span strides, Span low, Span high, Span dilation, int64_t groups) {
  return ErrorOf(kNames[static_cast<int64_t>(kind)], [&] {
    ffi::AnyBuffer third = *result;
    // The three in the order images, filters, results: a call gives one of them.
    const ffi::AnyBuffer& images = kind == Kind::kOfInput ? third : first;
    const ffi::AnyBuffer& filters = kind == Kind::kOfFilters ? third : second;
    const ffi::AnyBuffer& results = kind == Kind::kForward ? third : kind == Kind::kOfInput ? first : second;
    if (first.element_type() != second.element_type() || first.element_type() != third.element_type()) {
      throw std::invalid_argument("operands and result must have the same dtype");
    }
    Convolution convolution{SizesOf(images.dimensions()), SizesOf(filters.dimensions()), SizesOf(results.dimensions()),
                            SizesOf(strides),             SizesOf(low),                  SizesOf(high),
                            SizesOf(dilation),            groups,                        TypeOf(first.element_type())};
    auto data = [](const ffi::AnyBuffer& buffer) { return static_cast<char*>(buffer.untyped_data()); };
    Convolve(kind, convolution, {data(images), data(filters), data(results)}, pool, scratch->untyped_data(), scratch->size_bytes());
  });
}

ffi::Error Multiply(ffi::ThreadPool pool, ffi::AnyBuffer x, ffi::AnyBuffer y, ffi::Result<ffi::AnyBuffer> result, Span batch,
                    Span rows, Span columns, Span shared) {
  return ErrorOf("product", [&] {
    for (ffi::DataType type : {x.element_type(), y.element_type(), result->element_type()}) {
      if (type != ffi::DataType::F32) throw std::invalid_argument("operands must be float32");
    }
    Product product = Product::Of(SizesOf(batch), SizesOf(rows), SizesOf(columns), SizesOf(shared));
    product.Check(x.element_count(), y.element_count(), result->element_count());
    product.Run(pool, static_cast<const float*>(x.untyped_data()), static_cast<const float*>(y.untyped_data()),
                static_cast<float*>(result->untyped_data()));
  });
}

Windows WindowsOf(const ffi::AnyBuffer& images, const ffi::AnyBuffer& results, Span size, Span strides, Span low, Span high) {
  for (const ffi::AnyBuffer* buffer : {&images, &results}) {
    if (buffer->element_type() != ffi::DataType::F32) throw std::invalid_argument("images and results must be float32");
  }
  Windows windows{SizesOf(images.dimensions()), SizesOf(results.dimensions()), SizesOf(size),
                  SizesOf(strides),             SizesOf(low),                  SizesOf(high)};
  windows.Check();
  return windows;
}

template <typename T>
T* DataOf(const ffi::AnyBuffer& buffer) {
  return static_cast<T*>(buffer.untyped_data());
}

template <bool spreads>
ffi::Error Sums(ffi::ThreadPool pool, ffi::AnyBuffer operand, ffi::Result<ffi::AnyBuffer> result, Span size, Span strides, Span low,
                Span high) {
  return ErrorOf(spreads ? "gradient of sums of windows" : "sums of windows", [&] {
    ffi::AnyBuffer made = *result;
    const ffi::AnyBuffer& images = spreads ? made : operand;
    const ffi::AnyBuffer& results = spreads ? operand : made;
    Windows windows = WindowsOf(images, results, size, strides, low, high);
    auto run = spreads ? &Windows::Spread : &Windows::Sum;
    (windows.*run)(pool, DataOf<float>(operand), DataOf<float>(made));
  });
}

// Reads numbers of an attribute one after the other. Throws std::invalid_argument at its end.
class Reader {
 public:
  explicit Reader(Span span) : next_(span.begin()), end_(span.end()) {}

  int64_t Next() {
    if (next_ == end_) throw std::invalid_argument("an attribute is too short");
    return *next_++;
  }

  // A number of things that follow, each of which takes one number at least.
  int64_t Count() {
    int64_t count = Next();
    if (count < 0 || count > end_ - next_) throw std::invalid_argument("an attribute is too short");
    return count;
  }

  bool AtEnd() const { return next_ == end_; }

 private:
  const int64_t *next_, *end_;
};

ElementwiseProgram ProgramOf(Reader& reader, ffi::Span<const float> constants) {
  ElementwiseProgram program{reader.Next(), reader.Next(), {constants.begin(), constants.end()}, {}, {}};
  program.instructions.resize(reader.Count());
  for (Instruction& instruction : program.instructions) {
    instruction.operation = static_cast<Operation>(reader.Next());
    for (Operand& operand : instruction.operands) {
      operand.source = static_cast<Source>(reader.Next());
      operand.index = reader.Next();
    }
  }
  program.results.resize(reader.Count());
  for (int64_t& result : program.results) result = reader.Next();
  program.Check();
  return program;
}

float* FloatsOf(const ffi::AnyBuffer& buffer, int64_t length) {
  if (buffer.element_type() != ffi::DataType::F32) throw std::invalid_argument("operands and results must be float32");
  if (static_cast<int64_t>(buffer.element_count()) != length) throw std::invalid_argument("an array has a different length");
  return DataOf<float>(buffer);
}

// Operands: the scalars, then the arrays of all updates. programs: one after the other. updates: of each its program's number,
// the length of its arrays, and which of the scalars it has.
ffi::Error UpdateAll(ffi::ThreadPool pool, ffi::RemainingArgs operands, ffi::RemainingRets results, Span programs, Span updates,
                     ffi::Span<const float> constants, int64_t scalars) {
  return ErrorOf("update", [&] {
    std::vector<ElementwiseProgram> known;
    for (Reader reader(programs); !reader.AtEnd();) known.push_back(ProgramOf(reader, constants));
    auto operand = [&](int64_t index, int64_t length) {
      auto buffer = operands.get<ffi::AnyBuffer>(index);
      if (!buffer.has_value()) throw std::invalid_argument("there are too few operands");
      return FloatsOf(*buffer, length);
    };
    auto result = [&](int64_t index, int64_t length) {
      auto buffer = results.get<ffi::AnyBuffer>(index);
      if (!buffer.has_value()) throw std::invalid_argument("there are too few results");
      return FloatsOf(**buffer, length);
    };
    std::vector<Update> all;
    int64_t next_operand = scalars, next_result = 0;
    for (Reader reader(updates); !reader.AtEnd();) {
      int64_t program = reader.Next(), length = reader.Next();
      if (program < 0 || program >= static_cast<int64_t>(known.size())) throw std::invalid_argument("there is no such program");
      Update& update = all.emplace_back(Update{&known[program], length, {}, {}, {}});
      for (int64_t i = 0; i < update.program->scalars; ++i) {
        int64_t scalar = reader.Next();
        if (scalar < 0 || scalar >= scalars) throw std::invalid_argument("there is no such scalar");
        update.scalars.push_back(*operand(scalar, 1));
      }
      for (int64_t i = 0; i < update.program->arrays; ++i) update.arrays.push_back(operand(next_operand++, length));
      for (size_t i = 0; i < update.program->results.size(); ++i) update.results.push_back(result(next_result++, length));
    }
    Run(pool, all);
  });
}

auto BindingOfSums() {
  return ffi::Ffi::Bind()
      .Ctx<ffi::ThreadPool>()
      .Arg<ffi::AnyBuffer>()
      .Ret<ffi::AnyBuffer>()
      .Attr<Span>("size")
      .Attr<Span>("strides")
      .Attr<Span>("low")
      .Attr<Span>("high");
}

auto BindingOfConvolutions() {
  return ffi::Ffi::Bind()
      .Ctx<ffi::ThreadPool>()
      .Arg<ffi::AnyBuffer>()
      .Arg<ffi::AnyBuffer>()
      .Ret<ffi::AnyBuffer>()
      .Ret<ffi::AnyBuffer>()
      .Attr<Span>("strides")
      .Attr<Span>("low")
      .Attr<Span>("high")
      .Attr<Span>("dilation")
      .Attr<int64_t>("groups");
}

}  // namespace

// The names that the library shows.
#define STRATAGEM_SHOWN extern "C" __attribute__((visibility("default")))
STRATAGEM_SHOWN XLA_FFI_Error* StratagemConvolution(XLA_FFI_CallFrame*);
STRATAGEM_SHOWN XLA_FFI_Error* StratagemConvolutionOfInput(XLA_FFI_CallFrame*);
STRATAGEM_SHOWN XLA_FFI_Error* StratagemConvolutionOfFilters(XLA_FFI_CallFrame*);
STRATAGEM_SHOWN XLA_FFI_Error* StratagemProduct(XLA_FFI_CallFrame*);
STRATAGEM_SHOWN XLA_FFI_Error* StratagemSumWindows(XLA_FFI_CallFrame*);
STRATAGEM_SHOWN XLA_FFI_Error* StratagemSpreadWindows(XLA_FFI_CallFrame*);
STRATAGEM_SHOWN XLA_FFI_Error* StratagemUpdate(XLA_FFI_CallFrame*);

XLA_FFI_DEFINE_HANDLER_SYMBOL(StratagemConvolution, Call<Kind::kForward>, BindingOfConvolutions());
XLA_FFI_DEFINE_HANDLER_SYMBOL(StratagemConvolutionOfInput, Call<Kind::kOfInput>, BindingOfConvolutions());
XLA_FFI_DEFINE_HANDLER_SYMBOL(StratagemConvolutionOfFilters, Call<Kind::kOfFilters>, BindingOfConvolutions());
XLA_FFI_DEFINE_HANDLER_SYMBOL(StratagemProduct, Multiply,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Ret<ffi::AnyBuffer>()
                                  .Attr<Span>("batch")
                                  .Attr<Span>("rows")
                                  .Attr<Span>("columns")
                                  .Attr<Span>("shared"));

XLA_FFI_DEFINE_HANDLER_SYMBOL(StratagemSumWindows, Sums<false>, BindingOfSums());
XLA_FFI_DEFINE_HANDLER_SYMBOL(StratagemSpreadWindows, Sums<true>, BindingOfSums());
XLA_FFI_DEFINE_HANDLER_SYMBOL(StratagemUpdate, UpdateAll,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attr<Span>("programs")
                                  .Attr<Span>("updates")
                                  .Attr<ffi::Span<const float>>("constants")
                                  .Attr<int64_t>("scalars"));

// Writes the bytes of memory that a call needs besides its operands and results into `bytes`. Returns an empty string, or why
// oneDNN cannot compute it: a string of this thread's, until its next question.
STRATAGEM_SHOWN const char* stratagem_workspace(int64_t kind, int bfloat16, int64_t rank, const int64_t* images,
                                                             const int64_t* filters, const int64_t* results, const int64_t* strides,
                                                             const int64_t* low, const int64_t* high, const int64_t* dilation,
                                                             int64_t groups, int64_t* bytes) {
  static thread_local std::string message;
  message.clear();
  ffi::Error error = ErrorOf("workspace", [&] {
    if (kind < 0 || kind > 2 || rank < 3 || rank > 5) throw std::invalid_argument("there is no such call");
    auto sizes = [](const int64_t* from, int64_t count) { return Sizes(from, from + count); };
    Convolution convolution{sizes(images, rank),     sizes(filters, rank),  sizes(results, rank),
                            sizes(strides, rank - 2), sizes(low, rank - 2), sizes(high, rank - 2),
                            sizes(dilation, rank - 2), groups, bfloat16 ? memory::data_type::bf16 : memory::data_type::f32};
    convolution.Check();
    *bytes = CutOf(static_cast<Kind>(kind), convolution).Bytes();
  });
  if (!error.success()) message = error.message();
  return message.c_str();
}

// Returns oneDNN's version, as 30200 for 3.2.0.
STRATAGEM_SHOWN int stratagem_onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return version->major * 10000 + version->minor * 100 + version->patch;
}

bool MayUse(dnnl::cpu_isa least) {
  auto bits = static_cast<unsigned>(least);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

// Returns whether oneDNN has kernels for AVX-512 here, which ONEDNN_MAX_CPU_ISA may forbid it.
STRATAGEM_SHOWN int stratagem_has_avx512() { return MayUse(dnnl::cpu_isa::avx512_core); }

// Returns whether oneDNN has kernels for this processor's instructions for bfloat16.
STRATAGEM_SHOWN int stratagem_has_bfloat16() { return MayUse(dnnl::cpu_isa::avx512_core_bf16); }

// Returns about how many bytes the plans have that are kept.
STRATAGEM_SHOWN int64_t stratagem_bytes_of_plans() { return KnownPlans().Bytes(); }

}  // namespace stratagem
