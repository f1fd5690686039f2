package dev.sluice.executor.model;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Keeps the engines' native libraries in the cache. By default ONNX Runtime unpacks its library
 * into the system's temporary folder at each start, and leaves that folder behind at each end.
 */
final class NativeLibraries {
  /** Folder of this system's libraries in the jar, which holds those of other systems too. */
  private static final String ONNX_RUNTIME =
      onnxRuntimeFolder(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));

  private static final List<String> ONNX_RUNTIME_FILES = files("onnxruntime", "onnxruntime4j_jni");

  /** In the jar for CUDA; ONNX Runtime looks for them beside its own library. */
  private static final List<String> ONNX_RUNTIME_CUDA_FILES =
      files("onnxruntime_providers_shared", "onnxruntime_providers_cuda");

  private NativeLibraries() {}

  private static List<String> files(String... libraries) {
    return Stream.of(libraries).map(System::mapLibraryName).toList();
  }

  /**
   * Returns the folder in the jar of ONNX Runtime for Java's names of a system and its processor.
   * The jar need not have that folder.
   */
  static String onnxRuntimeFolder(String osName, String osArch) {
    String system = osName.toLowerCase(Locale.ROOT);
    String os = system.startsWith("mac") ? "osx" : system.startsWith("windows") ? "win" : "linux";
    String processor = osArch.equals("amd64") || osArch.equals("x86_64") ? "x64" : osArch;
    return "/ai/onnxruntime/native/" + os + "-" + processor + "/";
  }

  /**
   * Unpacks missing libraries and tells the engines where they are. Call it before the first engine
   * starts.
   */
  static void keepIn(Path cacheFolder) throws UserMistakeException {
    setIfAbsent("DJL_CACHE_DIR", cacheFolder.resolve("engines").resolve("djl"));
    URL packed = NativeLibraries.class.getResource(ONNX_RUNTIME + ONNX_RUNTIME_FILES.get(0));
    if (packed == null) {
      return; // the jar has no library for this system: ONNX Runtime says so when it starts
    }
    try {
      long bytes = packed.openConnection().getContentLengthLong();
      Path folder = cacheFolder.resolve("engines").resolve("onnxruntime-" + bytes);
      Files.createDirectories(folder);
      for (String name : ONNX_RUNTIME_FILES) {
        unpack(name, folder);
      }
      if (onnxRuntimeKnowsCuda()) {
        for (String name : ONNX_RUNTIME_CUDA_FILES) {
          unpack(name, folder);
        }
      }
      setIfAbsent("onnxruntime.native.path", folder);
    } catch (IOException e) {
      throw ModelCache.unwritable(cacheFolder, e);
    }
  }

  /** Returns whether the class path holds the ONNX Runtime that is built for CUDA. */
  static boolean onnxRuntimeKnowsCuda() {
    return ONNX_RUNTIME_CUDA_FILES.stream()
        .allMatch(name -> NativeLibraries.class.getResource(ONNX_RUNTIME + name) != null);
  }

  private static void setIfAbsent(String property, Path value) {
    if (System.getProperty(property) == null && System.getenv(property) == null) {
      System.setProperty(property, value.toString());
    }
  }

  private static void unpack(String name, Path folder) throws IOException {
    Path file = folder.resolve(name);
    if (Files.exists(file)) {
      return;
    }
    Path unfinished = Files.createTempFile(folder, name, ".unfinished");
    try (InputStream packed = NativeLibraries.class.getResourceAsStream(ONNX_RUNTIME + name)) {
      if (packed == null) {
        throw new IOException("the jar of ONNX Runtime lacks " + name);
      }
      Files.copy(packed, unfinished, StandardCopyOption.REPLACE_EXISTING);
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }
}
