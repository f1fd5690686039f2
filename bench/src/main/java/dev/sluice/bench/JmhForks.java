package dev.sluice.bench;

import dev.sluice.harness.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * One benchmark under JMH, each combination of its parameters in a process of its own. All that JMH
 * says goes to a file, and a process that fails is a failed measurement.
 */
public final class JmhForks {
  private final ChainedOptionsBuilder options;
  private final Path output;

  /**
   * Score of one process.
   *
   * @param parameters values by name
   * @param score median of the iterations, in the benchmark's own unit
   */
  record Median(Map<String, String> parameters, double score) {
    String parameter(String name) {
      String value = parameters.get(name);
      if (value == null) {
        throw new IllegalArgumentException("the benchmark has no parameter (" + name + ")");
      }
      return value;
    }
  }

  /**
   * Processes with the JVM options of this one, unless other ones are given.
   *
   * @param output file that JMH writes; its folder is made where it is missing
   */
  public JmhForks(Class<?> benchmark, Path output) {
    this.output = output;
    options =
        new OptionsBuilder()
            .include("^" + benchmark.getName().replace(".", "\\.") + "\\.")
            .output(output.toString())
            .jvmArgs(ChildJvm.ownOptions().toArray(String[]::new))
            .shouldFailOnError(true);
  }

  /** Gives the processes these JVM options alone. */
  JmhForks withJvmOptions(String... jvmOptions) {
    options.jvmArgs(jvmOptions);
    return this;
  }

  /** Measures each of these values of a parameter. */
  JmhForks with(String parameter, Collection<?> values) {
    options.param(parameter, values.stream().map(Object::toString).toArray(String[]::new));
    return this;
  }

  /**
   * Runs all processes, one after the other.
   *
   * @return a median of each combination of parameters, at least one
   * @throws MeasurementFailedException if a process failed
   */
  List<Median> medians() throws IOException, MeasurementFailedException {
    Files.createDirectories(output.toAbsolutePath().getParent());
    List<Median> medians = new ArrayList<>();
    try {
      for (RunResult result : new Runner(options.build()).run()) {
        BenchmarkParams params = result.getParams();
        Map<String, String> parameters = new LinkedHashMap<>();
        params.getParamsKeys().forEach(key -> parameters.put(key, params.getParam(key)));
        double score = result.getPrimaryResult().getStatistics().getPercentile(50);
        medians.add(new Median(parameters, score));
      }
    } catch (RunnerException e) {
      throw new MeasurementFailedException("JMH ended without a score: " + e.getMessage(), output);
    }
    if (medians.isEmpty()) {
      throw new MeasurementFailedException("no process was started", output);
    }
    return medians;
  }
}
