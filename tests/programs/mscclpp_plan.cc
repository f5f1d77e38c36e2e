// Reads execution plans with the parser of MSCCL++ itself: mscclpp-plan FILE...
//
// A program that uses MSCCL++ as a library; nothing of it is in here. Every rank of a plan is loaded as
// the executor does before it launches, and held against the sizes of the tables that the executor
// fills.

#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "execution_plan.hpp"

using namespace mscclpp;

static void read(const std::string& path) {
  std::ifstream file(path);
  const auto gpus = nlohmann::json::parse(file)["gpus"];
  for (size_t rank = 0; rank < gpus.size(); rank++) {
    ExecutionPlan::Impl plan(path, static_cast<int>(rank));
    const std::string kind = plan.collective;
    const size_t whole = gpus[rank][kind == "allgather" ? "output_chunks" : "input_chunks"];
    // the smallest size and the largest, each in whole chunks
    for (size_t size : {plan.minMessageSize, plan.maxMessageSize}) {
      const size_t chunk = size / whole;
      const size_t in = chunk * static_cast<size_t>(gpus[rank]["input_chunks"]);
      const size_t out = chunk * static_cast<size_t>(gpus[rank]["output_chunks"]);
      plan.reset();
      plan.loadExecutionPlan(in, out, 0, 0);
      for (int block = 0; block < plan.getThreadblockCount(); block++) {
        const auto ops = plan.getOperations(block);
        if (ops.size() > MAX_OPERATION) throw std::runtime_error("more operations than MAX_OPERATION");
        if (plan.threadblockMemoryChannels[block].size() > MAX_CHANNEL ||
            plan.threadblockMemoryChannelBuffers[block].size() > MAX_CHANNEL)
          throw std::runtime_error("more channels than MAX_CHANNEL");
        for (const auto& op : ops) {
          if (op.nChannels > MAX_CHANNEL_PER_OPERATION)
            throw std::runtime_error("more channels than MAX_CHANNEL_PER_OPERATION");
          for (int i = 0; i < op.nOutputs && op.type == OperationType::PUT; i++)
            if (op.inputBufferSizes[i] != op.outputBufferSizes[i] || op.inputBufferSizes[i] > chunk)
              throw std::runtime_error("a put of two sizes");
        }
      }
    }
  }
}

int main(int count, char** names) {
  int bad = 0;
  for (int i = 1; i < count; i++) {
    try {
      read(names[i]);
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", names[i], error.what());
      bad++;
    }
  }
  std::printf("%d of %d plans read\n", count - 1 - bad, count - 1);
  return bad ? 1 : 0;
}
