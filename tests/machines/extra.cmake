# The worked examples of CONTRIBUTING.md: one folder, one word, and each is a machine like the others in these tests.
target_sources(${target} PRIVATE machines/example_machine/inclined_slide.cpp machines/example_machine/friction_pendulum.cpp)
stickslip_machines(TARGET ${target} WORDS inclined_slide friction_pendulum)
