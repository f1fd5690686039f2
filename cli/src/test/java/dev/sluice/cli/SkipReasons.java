package dev.sluice.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Says which tests were skipped and why, where Maven's own output only counts them: after the last
 * test, and in a file that the build prints as its very last lines.
 */
public final class SkipReasons implements TestExecutionListener {
  private static final Path FILE =
      Path.of("target", System.getProperty("sluice.skipped", "skipped.txt"));

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
      Files.deleteIfExists(FILE);
      if (!lines.isEmpty()) {
        Files.write(Files.createDirectories(FILE.getParent()).resolve(FILE.getFileName()), lines);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
