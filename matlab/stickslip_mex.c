/* stickslip in MATLAB and Octave, over stickslip/c_interface.h:
     found = stickslip('identify', time, position, force, mass, 'lugre,stribeck', seed)   text; jsondecode(found) is a struct
     run   = stickslip('simulate', 'axis.toml')                     a struct with a column per field, and run.units, run.stop
     axis  = stickslip('open', 'axis.toml')                         a machine in hand, by number
             stickslip('set', axis, 'input', 12.0)                  or by the input's number, from 1
     there = stickslip('advance', axis, 0.001)                      true; false if something stopped it
     now   = stickslip('read', axis)                                a struct with all outputs, and now.mode
             stickslip('close', axis)
   SI units. Wrong input is an error with one line.
   Build: mkoctfile --mex -o stickslip.mex stickslip_mex.c -lstickslip     (MATLAB: mex -output stickslip ...) */
#include <mex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stickslip/c_interface.h>

enum { most_motions = 1000 };
static stickslip_motion* motions[most_motions];

static void refuse(const char* text) { mexErrMsgIdAndTxt("stickslip:Error", "%s", text); }

static void close_all(void) {
  for (int i = 0; i < most_motions; ++i) stickslip_motion_close(motions[i]), motions[i] = NULL;
}

/* mxFree gives it back. */
static char* text_of(const mxArray* value, const char* what) {
  if (!mxIsChar(value)) mexErrMsgIdAndTxt("stickslip:Error", "%s must be a text", what);
  return mxArrayToString(value);
}

static double number_of(const mxArray* value, const char* what) {
  if (!mxIsDouble(value) || mxIsComplex(value) || mxGetNumberOfElements(value) != 1)
    mexErrMsgIdAndTxt("stickslip:Error", "%s must be a number", what);
  return mxGetScalar(value);
}

static const double* column_of(const mxArray* value, size_t count, const char* what) {
  if (!mxIsDouble(value) || mxIsComplex(value)) mexErrMsgIdAndTxt("stickslip:Error", "%s must be a vector of doubles", what);
  if (mxGetNumberOfElements(value) != count)
    mexErrMsgIdAndTxt("stickslip:Error", "%s has %zu values, time has %zu; all need the same number", what,
                      (size_t)mxGetNumberOfElements(value), count);
  return mxGetPr(value);
}

/* A field's name: letters, digits and underscores. */
static void field_name(const char* name, char* field, size_t room) {
  size_t used = 0;
  for (; *name && used + 1 < room; ++name) {
    const char c = *name;
    const int is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_plain)
      field[used++] = c;
    else if (used > 0 && field[used - 1] != '_')
      field[used++] = '_';
  }
  while (used > 0 && field[used - 1] == '_') --used;
  field[used] = 0;
}

static void add_field(mxArray* to, const char* name, mxArray* value) {
  char field[64];
  field_name(name, field, sizeof field);
  const int number = mxAddField(to, field);
  mxSetFieldByNumber(to, 0, number, value);
}

static void need(int given, int least, const char* how) {
  if (given < least) mexErrMsgIdAndTxt("stickslip:Error", "too few arguments; write %s", how);
}

static stickslip_motion* motion_of(const mxArray* value) {
  const double number = number_of(value, "the machine");
  if (!(number >= 1 && number <= most_motions) || !motions[(int)number - 1]) refuse("no machine of this number is open");
  return motions[(int)number - 1];
}

static mxArray* identify(int given, const mxArray* in[]) {
  need(given, 5, "stickslip('identify', time, position, force, mass, models, seed)");
  const size_t samples = mxGetNumberOfElements(in[1]);
  const double* time = column_of(in[1], samples, "time");
  const double* position = column_of(in[2], samples, "position");
  const double* force = column_of(in[3], samples, "force");
  char* models = given > 5 ? text_of(in[5], "models") : NULL;
  const double seed = given > 6 ? number_of(in[6], "seed") : 1;
  if (!(seed >= 0 && seed <= 9007199254740992.0) || seed != (double)(uint64_t)seed) refuse("seed must be a whole number from 0 to 2^53");
  char* found = stickslip_identify(samples, time, position, force, number_of(in[4], "mass"), models ? models : "", (uint64_t)seed);
  mxFree(models);
  if (!found) refuse(stickslip_last_error());
  mxArray* text = mxCreateString(found);
  stickslip_free(found);
  return text;
}

static mxArray* simulate(int given, const mxArray* in[]) {
  need(given, 2, "stickslip('simulate', file)");
  char* machine = text_of(in[1], "the machine");
  stickslip_run* run = stickslip_simulate(machine);
  mxFree(machine);
  if (!run) refuse(stickslip_last_error());
  mxArray* found = mxCreateStructMatrix(1, 1, 0, NULL);
  mxArray* units = mxCreateStructMatrix(1, 1, 0, NULL);
  const size_t rows = stickslip_run_rows(run);
  for (size_t i = 0; i < stickslip_run_columns(run); ++i) {
    mxArray* column = mxCreateDoubleMatrix(rows, 1, mxREAL);
    memcpy(mxGetPr(column), stickslip_run_values(run, i), rows * sizeof(double));
    add_field(found, stickslip_run_name(run, i), column);
    add_field(units, stickslip_run_name(run, i), mxCreateString(stickslip_run_unit(run, i)));
  }
  add_field(found, "units", units);
  add_field(found, "stop", mxCreateString(stickslip_run_stop(run)));
  stickslip_run_close(run);
  return found;
}

static mxArray* open_machine(int given, const mxArray* in[]) {
  need(given, 2, "stickslip('open', file)");
  int place = 0;
  while (place < most_motions && motions[place]) ++place;
  if (place == most_motions) refuse("a thousand machines are open; close some");
  char* machine = text_of(in[1], "the machine");
  motions[place] = stickslip_motion_open(machine);
  mxFree(machine);
  if (!motions[place]) refuse(stickslip_last_error());
  return mxCreateDoubleScalar(place + 1);
}

static void set_input(int given, const mxArray* in[]) {
  need(given, 4, "stickslip('set', machine, input, value, slope)");
  stickslip_motion* motion = motion_of(in[1]);
  size_t which = 0;
  if (mxIsChar(in[2])) {
    char* name = text_of(in[2], "the input");
    while (which < stickslip_motion_inputs(motion) && strcmp(name, stickslip_motion_input_name(motion, which))) ++which;
    mxFree(name);
    if (which == stickslip_motion_inputs(motion)) refuse("the machine has no input of this name");
  } else {
    const double number = number_of(in[2], "the input");
    if (!(number >= 1 && number <= (double)stickslip_motion_inputs(motion))) refuse("the machine has no input of this number; the first is 1");
    which = (size_t)number - 1;
  }
  const double slope = given > 4 ? number_of(in[4], "the slope") : 0;
  if (stickslip_motion_set(motion, which, number_of(in[3], "the value"), slope) != 0) refuse(stickslip_last_error());
}

static mxArray* advance(int given, const mxArray* in[]) {
  need(given, 3, "stickslip('advance', machine, until)");
  const int how = stickslip_motion_advance(motion_of(in[1]), number_of(in[2], "the time"));
  if (how < 0) refuse(stickslip_last_error());
  return mxCreateLogicalScalar(how == 0);
}

static mxArray* read_outputs(int given, const mxArray* in[]) {
  need(given, 2, "stickslip('read', machine)");
  stickslip_motion* motion = motion_of(in[1]);
  const size_t count = stickslip_motion_outputs(motion);
  double* values = mxCalloc(count ? count : 1, sizeof(double));
  if (stickslip_motion_read(motion, values) != 0) refuse(stickslip_last_error());
  mxArray* found = mxCreateStructMatrix(1, 1, 0, NULL);
  for (size_t i = 0; i < count; ++i) add_field(found, stickslip_motion_output_name(motion, i), mxCreateDoubleScalar(values[i]));
  add_field(found, "mode", mxCreateString(stickslip_motion_mode(motion)));
  mxFree(values);
  return found;
}

void mexFunction(int results, mxArray* out[], int given, const mxArray* in[]) {
  (void)results;
  mexAtExit(close_all);
  need(given, 1, "stickslip('simulate', file)");
  char word[16] = "";
  if (!mxIsChar(in[0]) || mxGetString(in[0], word, sizeof word) != 0) word[0] = 0;
  if (!strcmp(word, "identify"))
    out[0] = identify(given, in);
  else if (!strcmp(word, "simulate"))
    out[0] = simulate(given, in);
  else if (!strcmp(word, "open"))
    out[0] = open_machine(given, in);
  else if (!strcmp(word, "set"))
    set_input(given, in);
  else if (!strcmp(word, "advance"))
    out[0] = advance(given, in);
  else if (!strcmp(word, "read"))
    out[0] = read_outputs(given, in);
  else if (!strcmp(word, "close")) {
    need(given, 2, "stickslip('close', machine)");
    stickslip_motion_close(motion_of(in[1]));
    motions[(int)mxGetScalar(in[1]) - 1] = NULL;
  } else
    refuse("the first argument is identify, simulate, open, set, advance, read or close");
}
