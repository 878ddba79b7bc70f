/// run_binary BINARY FOLDER END STEP: loads the binary of an FMU as an importer does, runs the unpacked FMU 2.0 in FOLDER in Co-Simulation
/// and prints its outputs, one line per step. For comparing systems (scripts/fmu-win64); it needs nothing of the library.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#ifdef _WIN32
#include <windows.h>
static void* load(const char* path) { return reinterpret_cast<void*>(LoadLibraryA(path)); }
static void* find(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}
#else
#include <dlfcn.h>
static void* load(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void* find(void* library, const char* name) { return dlsym(library, name); }
#endif

struct fmi2CallbackFunctions {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocate)(std::size_t, std::size_t);
  void (*free)(void*);
  void* finished;
  void* environment;
};
static void log(void*, const char*, int status, const char*, const char* message, ...) {
  if (status > 1) std::fprintf(stderr, "%s\n", message);
}

static std::string attribute(const std::string& tag, const std::string& name) {
  const auto at = tag.find(" " + name + "=\"");
  if (at == std::string::npos) return "";
  const auto from = at + name.size() + 3;
  return tag.substr(from, tag.find('"', from) - from);
}

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "run_binary BINARY FOLDER END STEP\n"), 2;
  const std::filesystem::path folder = std::filesystem::absolute(argv[2]);
  const double end = std::atof(argv[3]), step = std::atof(argv[4]);
  std::stringstream content;
  content << std::ifstream(folder / "modelDescription.xml").rdbuf();
  const std::string xml = content.str();
  std::vector<unsigned> outputs;
  for (auto at = xml.find("<ScalarVariable"); at != std::string::npos; at = xml.find("<ScalarVariable", at + 1)) {
    const std::string tag = xml.substr(at, xml.find('>', at) - at), after = xml.substr(xml.find('>', at), 200);
    if (attribute(tag, "causality") == "output" && after.find("<Real") < after.find("</ScalarVariable"))
      outputs.push_back(static_cast<unsigned>(std::stoul(attribute(tag, "valueReference"))));
  }
  void* library = load(argv[1]);
  if (!library || outputs.empty()) return std::fprintf(stderr, "%s does not load, or no outputs\n", argv[1]), 2;
  const auto function = [&]<class F>(F*& into, const char* name) {
    into = reinterpret_cast<F*>(find(library, name));
    if (!into) std::fprintf(stderr, "no %s\n", name), std::exit(2);
  };
  void* (*instantiate)(const char*, int, const char*, const char*, const fmi2CallbackFunctions*, int, int) = nullptr;
  int (*setup)(void*, int, double, double, int, double) = nullptr;
  int (*enter)(void*) = nullptr;
  int (*leave)(void*) = nullptr;
  int (*advance)(void*, double, double, int) = nullptr;
  int (*get)(void*, const unsigned*, std::size_t, double*) = nullptr;
  void (*release)(void*) = nullptr;
  function(instantiate, "fmi2Instantiate");
  function(setup, "fmi2SetupExperiment");
  function(enter, "fmi2EnterInitializationMode");
  function(leave, "fmi2ExitInitializationMode");
  function(advance, "fmi2DoStep");
  function(get, "fmi2GetReal");
  function(release, "fmi2FreeInstance");
  const fmi2CallbackFunctions callbacks{log, std::calloc, std::free, nullptr, nullptr};
  std::string place = (folder / "resources").generic_string();
  if (place.front() != '/') place = "/" + place;
  void* fmu = instantiate("one", 1, attribute(xml, "guid").c_str(), ("file://" + place).c_str(), &callbacks, 0, 0);
  if (!fmu || setup(fmu, 0, 0, 0, 0, 0) > 1 || enter(fmu) > 1 || leave(fmu) > 1) return 1;
  std::vector<double> values(outputs.size());
  for (int k = 0; k * step <= end * (1 + 1e-12); ++k) {
    if (k > 0 && advance(fmu, (k - 1) * step, step, 1) > 1) return 1;
    if (get(fmu, outputs.data(), outputs.size(), values.data()) > 1) return 1;
    for (const double value : values) std::printf("%.17g ", value);
    std::printf("\n");
  }
  release(fmu);
  return 0;
}
