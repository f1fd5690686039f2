package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The folders in an engine's jar that hold the libraries of each system that the build knows. */
final class NativeLibrariesTest {
  @Test
  void areInTheJarOfOnnxRuntime_forEachSystem() {
    Map.of(
            NativeLibraries.onnxRuntimeFolder("Linux", "amd64"), "libonnxruntime4j_jni.so",
            NativeLibraries.onnxRuntimeFolder("Linux", "aarch64"), "libonnxruntime4j_jni.so",
            NativeLibraries.onnxRuntimeFolder("Mac OS X", "aarch64"), "libonnxruntime4j_jni.dylib",
            NativeLibraries.onnxRuntimeFolder("Windows 11", "amd64"), "onnxruntime4j_jni.dll")
        .forEach(
            (folder, file) ->
                assertThat(NativeLibraries.class.getResource(folder + file))
                    .as(folder + file)
                    .isNotNull());
  }
}
