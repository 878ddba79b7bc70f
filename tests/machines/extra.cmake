# The worked example of CONTRIBUTING.md: one folder, one word, and it is a machine like the others in these tests.
target_sources(${target} PRIVATE machines/example_machine/inclined_slide.cpp)
stickslip_machines(TARGET ${target} WORDS inclined_slide)
