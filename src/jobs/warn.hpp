/// Receiver of a job's remarks, one line each: the command line prints it, another program may collect it.
#pragma once
#include <functional>
#include <string>

namespace stickslip {

using Warn = std::function<void(const std::string& message)>;

}  // namespace stickslip
