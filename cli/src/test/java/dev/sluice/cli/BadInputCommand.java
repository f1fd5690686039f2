package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.process.ChildJvm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A command as a person gives it, and what came of it. */
public record BadInputCommand(int status, String out, String err) {

  /** Runs a command in this process. */
  public static BadInputCommand sluice(String... arguments) {
    PrintStream outBefore = System.out;
    PrintStream errBefore = System.err;
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(out, true, UTF_8));
      System.setErr(new PrintStream(err, true, UTF_8));
      int status = Sluice.execute(arguments);
      return new BadInputCommand(status, out.toString(UTF_8), err.toString(UTF_8));
    } finally {
      System.setOut(outBefore);
      System.setErr(errBefore);
    }
  }

  /**
   * Runs a command in a process of its own.
   *
   * @param cache its SLUICE_CACHE
   * @param scratch a folder for what it prints
   */
  static BadInputCommand sluiceWithCache(Path cache, Path scratch, String... arguments)
      throws IOException, InterruptedException {
    Path out = scratch.resolve("stdout");
    Path err = scratch.resolve("stderr");
    List<String> command = ChildJvm.sluice(List.of(), List.of(arguments));
    var builder = new ProcessBuilder(command);
    builder.environment().put("SLUICE_CACHE", cache.toString());
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    try {
      return new BadInputCommand(
          process.waitFor(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * It was refused as a mistake: exit 2, the given number of mistakes of one line and one "Maybe"
   * each and nothing else on standard error, and no broker had been started.
   */
  public BadInputCommand isRefused(int mistakes) {
    assertThat(status).as(err).isEqualTo(ExitStatus.MISTAKE);
    List<String> lines = err.lines().toList();
    assertThat(lines).as(err).hasSize(2 * mistakes);
    for (int i = 0; i < lines.size(); i += 2) {
      assertThat(lines.get(i)).contains(": error: ").endsWith(".");
      assertThat(lines.get(i + 1)).startsWith("  Maybe ").endsWith(".");
    }
    assertThat(out).doesNotContain("broker").doesNotContain("Exception");
    return this;
  }

  public BadInputCommand says(String part) {
    assertThat(err).contains(part);
    return this;
  }

  /** What a folder holds; nothing if there is none. */
  static List<Path> held(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.list(folder)) {
      return paths.filter(path -> !RunFolder.isLatest(path)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
