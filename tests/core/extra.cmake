# Lanes are tested with every instruction set, each in a file of its own.
foreach(set_name baseline avx2 avx512)
  target_sources(test_core PRIVATE core/lane_values_${set_name}.cpp)
endforeach()
stickslip_lanes(core/lane_values)
