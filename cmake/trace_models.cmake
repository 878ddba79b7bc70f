# cmake -DSOURCE=tree -DSTAGED=folder -DWORDS=coulomb,lugre -DOUTPUT=file.cpp -P trace_models.cmake
#
# Copies the models' own files, and what they are made of, with `double` exchanged for a number that writes down what is computed
# with it (src/exports/trace/traced.hpp), below STAGED/traced and in the namespace stickslip::traced. OUTPUT is one source
# file that records any of them. What generated code does is therefore what the model files say; nothing is typed twice.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" WORDS "${WORDS}")
set(core contact parameter variation stribeck switching straight_part along)

function(stage from to)
  file(READ "${SOURCE}/src/${from}" text)
  foreach(name IN LISTS core)
    string(REPLACE "\"core/${name}.hpp\"" "\"traced/core/${name}.hpp\"" text "${text}")
  endforeach()
  string(REPLACE "\"core/scalar.hpp\"" "\"exports/trace/traced.hpp\"" text "${text}")
  string(REPLACE "\"models/" "\"traced/models/" text "${text}")
  string(REPLACE "stickslip::" "stickslip::traced::" text "${text}")
  string(REPLACE "namespace stickslip {" "namespace stickslip::traced {" text "${text}")
  string(REPLACE "#pragma once\n" "#pragma once\n#include \"exports/trace/traced.hpp\"\n" text "${text}")
  string(REGEX REPLACE "(^|[^A-Za-z0-9_])double([^A-Za-z0-9_])" "\\1Traced\\2" text "${text}")
  string(REGEX REPLACE "std::(fabs|sqrt|sin|cos|exp|log|log1p|pow|floor|cbrt|expm1|fmin|fmax|isfinite)\\(" "libm::\\1(" text "${text}")
  if(to MATCHES "law.hpp$|contact.hpp$|bristle")  # numbers of stretches
    string(REGEX REPLACE "(^|[^A-Za-z0-9_])long([ >])" "\\1Traced\\2" text "${text}")
  endif()
  if(to MATCHES "elements.hpp$")
    string(REPLACE "std::uint32_t" "Bits" text "${text}")
    string(REPLACE "bool slips(" "auto slips(" text "${text}")
  endif()
  if(to MATCHES "held_motion.hpp$")  # traced.hpp has these two without decisions
    string(REGEX REPLACE "inline Traced growth_factor[^\n]*\n" "" text "${text}")
    string(REPLACE "Held<Traced> advance(" "Held<Traced> advance_to_agreement(" text "${text}")
  endif()
  if(to MATCHES "hold_law.hpp$")
    set(first "/// A law's discrete and continuous memory together.")
    set(last "template <template <class> class Model>\nclass FixedStep final")
    string(FIND "${text}" "${first}" from_place)
    string(FIND "${text}" "${last}" to_place)
    if(from_place EQUAL -1 OR to_place EQUAL -1)
      message(FATAL_ERROR "src/${from}: hold_law and held_force are not where cmake/trace_models.cmake looks for them")
    endif()
    math(EXPR length "${to_place} - ${from_place}")
    string(SUBSTRING "${text}" ${from_place} ${length} text)
    set(text "#pragma once\n#include \"traced/models/law.hpp\"\nnamespace stickslip::traced {\n${text}\n}  // namespace stickslip::traced\n")
  endif()
  file(WRITE "${STAGED}/traced/${to}" "${text}")
endfunction()

foreach(name IN LISTS core)
  stage(core/${name}.hpp core/${name}.hpp)
endforeach()
file(GLOB models RELATIVE "${SOURCE}/src" "${SOURCE}/src/models/*.hpp")
foreach(model IN LISTS models)
  stage(${model} ${model})
endforeach()
stage(machines/one_body/fixed_step.hpp hold_law.hpp)

set(includes "")
set(entries "")
foreach(word IN LISTS WORDS)
  string(APPEND includes "#include \"traced/models/${word}.hpp\"\n")
  string(APPEND entries "      {traced::${word}::Model<traced::Traced>::text.name, &traced::trace_model<traced::${word}::Model>},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by cmake/trace_models.cmake.
${includes}
#include \"exports/trace/trace_model.hpp\"

namespace stickslip::inline exports {

TraceFunction trace_function(std::string_view model) {
  static const std::pair<std::string_view, TraceFunction> functions[] = {
${entries}  };
  for (const auto& [name, function] : functions)
    if (name == model) return function;
  return nullptr;
}

}  // namespace stickslip::inline exports
")
