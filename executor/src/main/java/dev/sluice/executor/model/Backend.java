package dev.sluice.executor.model;

/** An inference engine: its name in configs, its name in DJL, and the ending of its files. */
enum Backend {
  PYTORCH("pytorch", "PyTorch", ".pt"),
  ONNX("onnx", "OnnxRuntime", ".onnx");

  private final String configName;
  final String engine;
  final String fileEnding;

  Backend(String configName, String engine, String fileEnding) {
    this.configName = configName;
    this.engine = engine;
    this.fileEnding = fileEnding;
  }

  /** Returns the backend of a name in a config: pytorch or onnx. */
  static Backend named(String configName) {
    for (Backend backend : values()) {
      if (backend.configName.equals(configName)) {
        return backend;
      }
    }
    throw new IllegalArgumentException("backend (" + configName + ") is not pytorch or onnx");
  }
}
