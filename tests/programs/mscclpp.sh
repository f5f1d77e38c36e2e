#!/usr/bin/env bash
# mscclpp.sh SOURCE [FOLDER]: build mscclpp-plan from a source folder of MSCCL++ and put it into FOLDER.
# Wants g++, the headers of CUDA (CUDA=/usr/local/cuda) and of nlohmann/json (Debian: nlohmann-json3-dev, or
# JSON=FOLDER); no GPU. 'hopscape check --with msccl' runs it where it is on the PATH.
set -euo pipefail
source=$(cd "$1" && pwd); into=${2:-.}; here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -r "$work"' EXIT
mkdir "$work/mscclpp"
sed 's/@[A-Z_]*@/0/' "$source/include/mscclpp/version.hpp.in" > "$work/mscclpp/version.hpp"
g++ -std=c++17 -O1 -fno-access-control -ffunction-sections -Wl,--gc-sections -I "$work" -I "$source/include" \
  -I "$source/src/core/include" -I "${CUDA:-/usr/local/cuda}/include" ${JSON:+-I "$JSON"} \
  "$here/mscclpp_plan.cc" "$source/src/core/executor/execution_plan.cc" "$source/src/core/errors.cc" \
  -o "$into/mscclpp-plan"
echo "$into/mscclpp-plan"
