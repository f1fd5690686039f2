package dev.sluice.cli;

import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Prints, after the last test, which were skipped and why: Maven's own output only counts them. */
public final class SkipReasons implements TestExecutionListener {
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
  }
}
