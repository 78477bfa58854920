#include "convolution.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "slices.h"

namespace stratagem {
namespace {

using dnnl::memory;

constexpr int64_t kLargest = int64_t{1} << 31;  // of a size or an attribute: their products and sums do not overflow

// Of plans. With oneDNN's own cache, which has the same primitives, switched off: see Engine.
constexpr size_t kMostBytes = 64 << 20;

// A slice costs the time in which a thread wakes: it is worth so many floating-point operations. With a quarter of them LeNet's
// step took twice as long on two cores.
constexpr int64_t kOperationsOfSlice = 16'000'000;
constexpr int64_t kMostSlices = 8;
// Each slice of a gradient of filters has a sum of its own, which is added to the others.
constexpr int64_t kMostSums = 4;

// As a floating-point number: sizes of a wrong call may be large.
double Product(const Sizes& sizes) { return std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<double>()); }

void Require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

// (batch, places..., channels) in memory is oneDNN's (batch, channels, places...).
memory::desc DataDesc(const Sizes& sizes, memory::data_type type) {
  memory::dims dims{sizes.front(), sizes.back()};
  dims.insert(dims.end(), sizes.begin() + 1, sizes.end() - 1);
  auto tag = sizes.size() == 3 ? memory::format_tag::nwc
             : sizes.size() == 4 ? memory::format_tag::nhwc
                                 : memory::format_tag::ndhwc;
  return memory::desc(dims, type, tag);
}

// (window..., channels in / groups, channels out) in memory is oneDNN's (out, in, window...), or with groups
// (groups, out / groups, in / groups, window...).
memory::desc FiltersDesc(const Sizes& sizes, int64_t groups, memory::data_type type) {
  size_t rank = sizes.size() - 2;
  int64_t in = sizes[rank], out = sizes[rank + 1];
  memory::dims dims, strides;
  if (groups > 1) {
    dims = {groups, out / groups, in};
    strides = {out / groups, 1, out};
  } else {
    dims = {out, in};
    strides = {1, out};
  }
  memory::dims steps(rank);
  int64_t step = in * out;
  for (size_t i = rank; i-- > 0;) {
    steps[i] = step;
    step *= sizes[i];
  }
  dims.insert(dims.end(), sizes.begin(), sizes.begin() + rank);
  strides.insert(strides.end(), steps.begin(), steps.end());
  return memory::desc(dims, type, strides);
}

dnnl::primitive_attr Attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Plan MadePlan(Kind kind, const Convolution& c) {
  // oneDNN chooses kernels for as many threads as it may use now, and each slice runs on one: a gradient of filters that was
  // planned for two took six times as long.
  [[maybe_unused]] OnOneThread alone;
  constexpr auto algorithm = dnnl::algorithm::convolution_direct;
  const dnnl::engine& engine = Engine();
  const dnnl::primitive_attr attributes = Attributes();
  memory::desc images = DataDesc(c.images, c.type), results = DataDesc(c.results, c.type);
  Plan plan;
  plan.filters_of_xla = FiltersDesc(c.filters, c.groups, c.type);
  memory::desc filters(plan.filters_of_xla.get_dims(), c.type, memory::format_tag::any);
  memory::dims between = c.dilation;  // oneDNN counts the elements between two of a window
  for (int64_t& d : between) --d;
  dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training, algorithm, images, filters, results,
                                                    c.strides, between, c.low, c.high, attributes);
  auto take = [&plan](const auto& desc, const memory::desc& in, const memory::desc& w, const memory::desc& out) {
    plan.images = in;
    plan.filters = w;
    plan.results = out;
    plan.scratch = desc.scratchpad_desc();
  };
  if (kind == Kind::kForward) {
    plan.primitive = dnnl::convolution_forward(forward);
    take(forward, forward.src_desc(), forward.weights_desc(), forward.dst_desc());
  } else if (kind == Kind::kOfInput) {
    dnnl::convolution_backward_data::primitive_desc desc(engine, algorithm, images, filters, results, c.strides, between, c.low,
                                                         c.high, forward, attributes);
    plan.primitive = dnnl::convolution_backward_data(desc);
    take(desc, desc.diff_src_desc(), desc.weights_desc(), desc.diff_dst_desc());
  } else {
    dnnl::convolution_backward_weights::primitive_desc desc(engine, algorithm, images, filters, results, c.strides, between, c.low,
                                                            c.high, forward, attributes);
    plan.primitive = dnnl::convolution_backward_weights(desc);
    take(desc, desc.src_desc(), desc.diff_weights_desc(), desc.diff_dst_desc());
  }
  if (plan.filters != plan.filters_of_xla) {
    bool gives = kind == Kind::kOfFilters;
    dnnl::reorder::primitive_desc desc(engine, gives ? plan.filters : plan.filters_of_xla, engine,
                                       gives ? plan.filters_of_xla : plan.filters, attributes);
    plan.reorder = dnnl::reorder(desc);
    plan.scratch_of_reorder = desc.scratchpad_desc().get_size();
  }
  return plan;
}

}  // namespace

// Never destroyed: threads of XLA's pool may still run when a process ends.
const dnnl::engine& Engine() {
  static const dnnl::engine* engine = [] {
    dnnl::set_primitive_cache_capacity(0);
    return new dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return *engine;
}

Plans& KnownPlans() {
  static Plans* plans = new Plans(kMostBytes);
  return *plans;
}

void Convolution::Check() const {
  size_t rank = images.size();
  Require(rank >= 3 && rank <= 5, "images must have one to three dimensions of places");
  Require(filters.size() == rank && results.size() == rank, "images, filters and results must have the same rank");
  for (const Sizes* each : {&strides, &low, &high, &dilation}) {
    Require(each->size() == rank - 2, "strides, padding and dilation must have a value for each dimension of places");
  }
  for (const Sizes* each : {&images, &filters, &results, &strides, &dilation}) {
    for (int64_t size : *each) Require(size > 0 && size < kLargest, "sizes, strides and dilation must be positive");
  }
  for (const Sizes* each : {&low, &high}) {
    for (int64_t size : *each) Require(size >= 0 && size < kLargest, "padding must not be negative");
  }
  Require(groups > 0 && groups < kLargest, "groups must be positive");
  Require(images.front() == results.front(), "images and results must have the same batch");
  Require(images.back() == filters[rank - 2] * groups, "filters must have the images' channels, divided by the groups");
  Require(results.back() == filters[rank - 1], "results must have the filters' channels");
  Require(results.back() % groups == 0, "the channels of results must be a multiple of the groups");
  for (size_t i = 0; i < rank - 2; ++i) {
    int64_t left = images[i + 1] + low[i] + high[i] - ((filters[i] - 1) * dilation[i] + 1);
    Require(left >= 0 && results[i + 1] == left / strides[i] + 1, "results must have a place for each window");
  }
}

Convolution Convolution::OfBatch(int64_t batch) const {
  Convolution same = *this;
  same.images.front() = same.results.front() = batch;
  return same;
}

std::shared_ptr<const Plan> Convolution::PlanOf(Kind kind) const {
  std::string key;
  auto append = [&key](int64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  append(static_cast<int64_t>(kind));
  append(static_cast<int64_t>(type));
  append(groups);
  for (const Sizes* each : {&images, &filters, &results, &strides, &low, &high, &dilation}) {
    for (int64_t size : *each) append(size);  // each has a length that the key's own length tells
  }
  return KnownPlans().Get(key, [this, kind] { return MadePlan(kind, *this); });
}

Cut CutOf(Kind kind, const Convolution& c) {
  int64_t batch = c.images.front();
  // Of doubles: sizes of a wrong call may be large.
  double operations = 2.0 * Product(c.results) * Product(c.filters) / c.filters.back();
  int64_t wanted = std::min<double>(kMostSlices, operations / kOperationsOfSlice);
  if (kind == Kind::kOfFilters) wanted = c.type == memory::data_type::f32 ? std::min(wanted, kMostSums) : 1;
  wanted = std::clamp<int64_t>(wanted, 1, batch);
  Cut cut;
  cut.images = (batch + wanted - 1) / wanted;
  cut.slices = (batch + cut.images - 1) / cut.images;
  cut.plan = c.OfBatch(cut.images).PlanOf(kind);
  int64_t rest = batch - (cut.slices - 1) * cut.images;
  cut.last = rest == cut.images ? cut.plan : c.OfBatch(rest).PlanOf(kind);
  if (cut.last->filters != cut.plan->filters) {
    // Slices have filters in one order. Kernels that differ for a rest of the batch are rare: then all is one slice.
    cut.images = batch;
    cut.slices = 1;
    cut.plan = cut.last = c.PlanOf(kind);
  }
  if (cut.plan->Reorders()) cut.filters = Aligned(cut.plan->filters.get_size());
  // The first slice's sum is where the result, or what is reordered to be the result, lies.
  if (kind == Kind::kOfFilters && cut.slices > 1) cut.sums = Aligned(cut.plan->filters.get_size());
  cut.scratch = Aligned(std::max({cut.plan->scratch.get_size(), cut.last->scratch.get_size(), cut.plan->scratch_of_reorder}));
  return cut;
}

}  // namespace stratagem
