package dev.sluice.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Says which tests were skipped and why, where Maven's own output only counts them: after the last
 * test, and in a file that the build prints as its very last lines. A JVM of tests has a file of
 * its own, to which each of its test classes may add.
 */
public final class SkipReasons implements TestExecutionListener {
  private static final Path FILE =
      Path.of("target", System.getProperty("sluice.skipped", "skipped.txt"));

  private static final long BEGAN_EPOCH_MS = ManagementFactory.getRuntimeMXBean().getStartTime();

  private final ConcurrentSkipListSet<String> lines = new ConcurrentSkipListSet<>();

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    add(test, reason);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (result.getStatus() == Status.ABORTED) {
      add(test, result.getThrowable().map(Throwable::getMessage).orElse("no reason given"));
    }
  }

  private void add(TestIdentifier test, String reason) {
    String name =
        test.getSource()
            .filter(MethodSource.class::isInstance)
            .map(MethodSource.class::cast)
            .map(method -> method.getJavaClass().getSimpleName() + "." + method.getMethodName())
            .orElse(test.getDisplayName());
    lines.add("Skipped: " + name + ": " + reason);
  }

  @Override
  public void testPlanExecutionFinished(TestPlan plan) {
    lines.forEach(System.out::println);
    try {
      if (FILE.toFile().lastModified() < BEGAN_EPOCH_MS) {
        Files.deleteIfExists(FILE); // of an earlier build
      }
      if (!lines.isEmpty()) {
        Files.createDirectories(FILE.getParent());
        Files.write(FILE, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        lines.clear();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
