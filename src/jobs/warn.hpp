/// Receiver of a job's remarks, one line each: the command line prints it, another program may collect it.
#pragma once
#include <functional>
#include <string>

namespace stickslip::inline jobs {

using Warn = std::function<void(const std::string& message)>;

}  // namespace stickslip::inline jobs
