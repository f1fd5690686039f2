package dev.sluice.executor.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.Engines.Backend;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.OnnxFile;
import dev.sluice.executor.network.Precision;
import dev.sluice.executor.network.TorchScriptFile;
import dev.sluice.executor.network.Workloads;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of the built-in workloads' model files. A file is written on first use, with its
 * hashes beside it ({@link ModelHash}). Each use checks the file against a hash, since the engines
 * load damaged weights without an error.
 *
 * <p>Any number of processes may use one folder: a file is written under a unique name and renamed
 * when it is complete. Two processes that write one file at once write equal bytes.
 */
public final class ModelCache {
  private static final Logger LOG = LoggerFactory.getLogger(ModelCache.class);

  /** To be changed with each writer or network that changes the files' content. */
  private static final String FORMAT_VERSION = "v1";

  private static final String UNFINISHED = ".unfinished";

  /** Age from which an unfinished file counts as left behind by a writer that was killed. */
  private static final Duration ABANDONED_AFTER = Duration.ofHours(1);

  private final Path folder;

  public ModelCache(Path folder) {
    this.folder = folder;
  }

  Path folder() {
    return folder;
  }

  static UserMistakeException unwritable(Path folder, IOException cause) {
    return new UserMistakeException(
        folder.toString(),
        "the model cache cannot be written (" + UserMistakeException.reason(cause) + ")",
        "make room there or set SLUICE_CACHE to a folder that you can write",
        cause);
  }

  public static ModelCache ofUser() {
    return new ModelCache(defaultFolder(System.getenv(), Path.of(System.getProperty("user.home"))));
  }

  /**
   * Returns the folder of the user's cache: {@code $SLUICE_CACHE}, else {@code
   * $XDG_CACHE_HOME/sluice}, else {@code .cache/sluice} in the home folder.
   */
  public static Path defaultFolder(Map<String, String> environment, Path home) {
    String own = environment.getOrDefault("SLUICE_CACHE", "");
    if (!own.isEmpty()) {
      return Path.of(own);
    }
    String caches = environment.getOrDefault("XDG_CACHE_HOME", "");
    return (caches.isEmpty() ? home.resolve(".cache") : Path.of(caches)).resolve("sluice");
  }

  /** Returns a built-in model's file, undamaged; writes it if it is missing. */
  public Path file(ModelKey model, ModelProgress progress) throws UserMistakeException {
    Backend format = Backend.named(model.backend());
    Precision written = Precision.named(model.precision());
    String variant = written == Precision.FP32 ? "" : "-" + model.precision();
    Network network = Workloads.network(model.workload());
    return file(
        model.workload() + variant,
        format.fileEnding,
        network.weightBytes(written),
        out -> {
          switch (format) {
            case PYTORCH ->
                TorchScriptFile.write(network.whole(), written, out, progress::advanced);
            case ONNX -> OnnxFile.write(network.whole(), written, out, progress::advanced);
          }
        },
        progress);
  }

  /** Returns the float32 weights of a network as a safetensors file, as {@link #file} does. */
  public Path weights(String name, ModelProgress progress) throws UserMistakeException {
    Network network = Workloads.network(name);
    return file(
        name,
        ".safetensors",
        network.weightBytes(Precision.FP32),
        out -> network.whole().writeWeights(out, progress::advanced),
        progress);
  }

  /** Writes the content of a model file; closes the stream. */
  private interface Content {
    void write(OutputStream out) throws IOException;
  }

  private Path file(
      String name, String ending, long weightBytes, Content content, ModelProgress progress)
      throws UserMistakeException {
    Path file = folder.resolve(name + "-" + FORMAT_VERSION + ending);
    if (!Files.exists(file)) {
      try {
        write(content, weightBytes, file, progress);
      } catch (IOException e) {
        throw unwritable(folder, e);
      }
      return file;
    }
    if (!Files.exists(ModelHash.file(file))) {
      throw new UserMistakeException(
          file.toString(),
          "its hash (" + ModelHash.file(file).getFileName() + ") is missing",
          "delete the file; Sluice writes it again");
    }
    ModelHash found = verify(file.toString(), file, "delete the file; Sluice writes it again");
    if (!found.sha256().isEmpty()) {
      addCrc32c(file, found);
    }
    return file;
  }

  /** Adds the CRC-32C to the hash of a file that an earlier version wrote. */
  private void addCrc32c(Path file, ModelHash hash) {
    Path unfinished = folder.resolve(file.getFileName() + "." + UUID.randomUUID() + UNFINISHED);
    try {
      Files.writeString(unfinished, hash.text(file), UTF_8);
      moveInPlace(unfinished, ModelHash.file(file));
    } catch (IOException e) {
      LOG.info("each start will read {} slowly, since its CRC-32C cannot be kept", file, e);
    }
  }

  /**
   * Checks a file against the hash beside it, and returns what was found: the CRC-32C alone if it
   * stands there, else both hashes.
   *
   * @param maybe advice if they differ
   */
  static ModelHash verify(String location, Path file, String maybe) throws UserMistakeException {
    try {
      ModelHash expected = ModelHash.read(file);
      ModelHash actual = ModelHash.of(file, expected.crc32c() != null);
      boolean equal =
          expected.crc32c() == null
              ? actual.sha256().equals(expected.sha256())
              : expected.crc32c().equals(actual.crc32c());
      if (!equal) {
        String found =
            expected.crc32c() == null
                ? "SHA-256 is (%s), not (%s)".formatted(actual.sha256(), expected.sha256())
                : "CRC-32C is (%s), not (%s)".formatted(actual.crc32c(), expected.crc32c());
        throw new UserMistakeException(
            location, "the model file (%s) is damaged: its %s".formatted(file, found), maybe);
      }
      return actual;
    } catch (IOException e) {
      throw new UserMistakeException(
          location,
          "the model file (%s) cannot be read (%s)".formatted(file, UserMistakeException.reason(e)),
          "change its permissions",
          e);
    }
  }

  private void write(Content content, long weightBytes, Path file, ModelProgress progress)
      throws IOException {
    Files.createDirectories(folder);
    Path unfinished = folder.resolve(file.getFileName() + "." + UUID.randomUUID() + UNFINISHED);
    Path unfinishedHash = ModelHash.file(unfinished);
    try {
      progress.started(file.getFileName().toString(), weightBytes);
      MessageDigest sha256 = Sha256.begin();
      var crc32c = new CRC32C();
      var bytes = new BufferedOutputStream(Files.newOutputStream(unfinished), 1 << 20);
      try (OutputStream out =
          new CheckedOutputStream(new DigestOutputStream(bytes, sha256), crc32c)) {
        deleteAbandoned(file, Files.getLastModifiedTime(unfinished));
        content.write(out);
      }
      Files.writeString(unfinishedHash, ModelHash.of(sha256, crc32c).text(file), UTF_8);
      moveInPlace(
          unfinishedHash, ModelHash.file(file)); // first, so that no file is without its hash
      moveInPlace(unfinished, file);
      progress.finished();
    } finally {
      Files.deleteIfExists(unfinished);
      Files.deleteIfExists(unfinishedHash);
    }
  }

  private static void moveInPlace(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private void deleteAbandoned(Path file, FileTime now) throws IOException {
    FileTime before = FileTime.from(now.toInstant().minus(ABANDONED_AFTER));
    try (DirectoryStream<Path> left =
        Files.newDirectoryStream(folder, file.getFileName() + ".*" + UNFINISHED + "*")) {
      for (Path path : left) {
        try {
          if (Files.getLastModifiedTime(path).compareTo(before) < 0) {
            Files.deleteIfExists(path);
          }
        } catch (NoSuchFileException ignored) {
          // another process has just renamed or deleted the file
        }
      }
    }
  }
}
