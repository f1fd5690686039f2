package dev.sluice.executor.model;

import dev.sluice.contract.UserMistakeException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * Keeps the engines' native libraries in the cache. Left alone, ONNX Runtime unpacks its own into
 * the system's temporary folder at each start, and leaves a folder behind at each end.
 */
final class NativeLibraries {
  private static final String ONNX_RUNTIME = "/ai/onnxruntime/native/linux-x64/";
  private static final List<String> ONNX_RUNTIME_FILES =
      List.of("libonnxruntime.so", "libonnxruntime4j_jni.so");

  private NativeLibraries() {}

  /**
   * Unpacks what is not there yet and tells the engines; to be called before the first engine
   * starts.
   *
   * @param cacheFolder is made if it is missing
   * @throws UserMistakeException if the folder can not be written
   */
  static void keepIn(Path cacheFolder) throws UserMistakeException {
    setIfAbsent("DJL_CACHE_DIR", cacheFolder.resolve("engines").resolve("djl"));
    URL packed = NativeLibraries.class.getResource(ONNX_RUNTIME + ONNX_RUNTIME_FILES.get(0));
    if (packed == null) {
      return; // another system: ONNX Runtime finds its libraries by itself
    }
    try {
      long bytes = packed.openConnection().getContentLengthLong();
      Path folder = cacheFolder.resolve("engines").resolve("onnxruntime-" + bytes);
      Files.createDirectories(folder);
      for (String name : ONNX_RUNTIME_FILES) {
        unpack(name, folder);
      }
      setIfAbsent("onnxruntime.native.path", folder);
    } catch (IOException e) {
      throw ModelCache.unwritable(cacheFolder, e);
    }
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
