/* The library for C and for whatever calls C (MATLAB and Octave: matlab/stickslip_mex.c): identify, simulate, step.
     stickslip_motion* motion = stickslip_motion_open("axis.toml");
     if (!motion) puts(stickslip_last_error());
     stickslip_motion_set(motion, 0, 12.0, 0.0);
     stickslip_motion_advance(motion, 0.001);
   SI units. What fails returns NULL or -1, and stickslip_last_error() is one line: where, what was found, suggested fix.
   Nothing throws. An object serves one thread at a time; what is given as const char* belongs to the object. */
#ifndef STICKSLIP_C_INTERFACE_H
#define STICKSLIP_C_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

const char* stickslip_library_version(void);
/* Of this thread's last call that failed. */
const char* stickslip_last_error(void);
/* What stickslip_identify gave. */
void stickslip_free(char* text);

/* The friction model behind a recording of `samples` times [s], positions [m] and forces [N], as JSON, the text of `stickslip identify --json`.
   `mass` [kg] is that whose inertia is in the force. `models` is a list like "lugre,stribeck"; "" tries all. */
char* stickslip_identify(size_t samples, const double* time, const double* position, const double* force, double mass,
                         const char* models, uint64_t seed);

/* A run to its end. `machine` is a file, or the text of one (with a line break in it). */
typedef struct stickslip_run stickslip_run;
stickslip_run* stickslip_simulate(const char* machine);
const char* stickslip_run_stop(const stickslip_run* run); /* "finished", or what ended it early */
size_t stickslip_run_rows(const stickslip_run* run);
size_t stickslip_run_columns(const stickslip_run* run);
const char* stickslip_run_name(const stickslip_run* run, size_t column);
const char* stickslip_run_unit(const stickslip_run* run, size_t column);
const double* stickslip_run_values(const stickslip_run* run, size_t column);
void stickslip_run_close(stickslip_run* run);

/* A machine that is held. */
typedef struct stickslip_motion stickslip_motion;
stickslip_motion* stickslip_motion_open(const char* machine);
stickslip_motion* stickslip_motion_clone(const stickslip_motion* motion);
void stickslip_motion_close(stickslip_motion* motion);
double stickslip_motion_time(const stickslip_motion* motion);
/* 0: it is there; 1: something stopped it, see stickslip_motion_stop; -1: refused. */
int stickslip_motion_advance(stickslip_motion* motion, double until);
const char* stickslip_motion_stop(const stickslip_motion* motion);
const char* stickslip_motion_mode(const stickslip_motion* motion);
size_t stickslip_motion_inputs(const stickslip_motion* motion);
const char* stickslip_motion_input_name(const stickslip_motion* motion, size_t input);
/* value + slope (t - now) from now on. */
int stickslip_motion_set(stickslip_motion* motion, size_t input, double value, double slope);
size_t stickslip_motion_outputs(const stickslip_motion* motion);
const char* stickslip_motion_output_name(const stickslip_motion* motion, size_t output);
/* All outputs now, as many as stickslip_motion_outputs says. */
int stickslip_motion_read(const stickslip_motion* motion, double* values);

#ifdef __cplusplus
}
#endif
#endif
