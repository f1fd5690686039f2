package dev.sluice.harness.report;

import dev.sluice.analytics.compare.ComparedJobs;
import dev.sluice.analytics.compare.ComparedRun;
import dev.sluice.analytics.compare.ComparedSides;
import dev.sluice.analytics.compare.Comparison;
import dev.sluice.analytics.compare.ComparisonPage;
import dev.sluice.analytics.compare.ComparisonText;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.simulate.ExperimentBound;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One comparison of two finished runs, or of two series of runs. */
public final class CompareRun {
  private CompareRun() {}

  /**
   * How a comparison is judged.
   *
   * @param primary name of the primary figure; null: goodput
   * @param gate true if the exit status tells that B is worse
   * @param anyway true if reasons not to compare are told, and no more
   */
  public record Judging(@Nullable String primary, boolean gate, boolean anyway) {}

  /**
   * Compares, prints the table, writes the page, and returns the exit status.
   *
   * @param page file of the page; null: beside B
   * @param bound whether figures have a column of what no scheduler is better than
   * @throws UserMistakeException if a folder cannot be compared, or should not be
   */
  public static int execute(
      Path a, Path b, Judging judging, @Nullable Path page, boolean bound, Console console)
      throws UserMistakeException {
    Path file = page != null ? page : beside(a, b);
    UserMistakeException.throwIf(
        a.toAbsolutePath().normalize().equals(b.toAbsolutePath().normalize()),
        b.toString(),
        "both sides are this folder",
        "you meant two folders");
    OutputFile.check(file, ComparisonPage.KIND, false);
    ComparedSides sides = sides(a, b);
    Map<String, Double> bounds = bound ? meansOfBounds(sides.a()) : Map.of();
    return conclude(sides, bounds, a.toString(), b.toString(), judging, file, console);
  }

  static ComparedSides sides(Path a, Path b) throws UserMistakeException {
    return ComparedSides.of(runs(a), runs(b));
  }

  /** Compares both sides, prints the table, writes the page, and returns the exit status. */
  static int conclude(
      ComparedSides sides,
      Map<String, Double> bounds,
      String nameOfA,
      String nameOfB,
      Judging judging,
      Path page,
      Console console)
      throws UserMistakeException {
    if (!sides.refusals().isEmpty() && !judging.anyway) {
      throw new UserMistakeException(
          sides.refusals().stream()
              .map(
                  reason ->
                      new UserMistakeException.Problem(
                          "sluice compare",
                          "these should not be compared: " + reason,
                          "--anyway compares them, and says so in each output"))
              .toList());
    }
    ComparedJobs jobs = ComparedJobs.read(sides);
    Comparison comparison = Comparison.of(sides, jobs, judging.primary);
    var text =
        new ComparisonText(
            comparison,
            sides,
            name(nameOfA, sides.a()),
            name(nameOfB, sides.b()),
            sides.refusals(),
            bounds);
    console.line(text.render().stripTrailing());
    try {
      Path parent = page.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      OutputFile.write(page, ComparisonPage.of(text, jobs).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UserMistakeException(
          page.toString(),
          "the page cannot be written (" + UserMistakeException.reason(e) + ")",
          "the disk is full, or --out FILE names another place",
          e);
    }
    console.line("");
    console.line("Page      " + page);
    console.result(text.toJson());
    return status(comparison, judging, console);
  }

  private static Map<String, Double> meansOfBounds(List<ComparedRun> runs)
      throws UserMistakeException {
    Map<String, Double> means = new HashMap<>();
    for (ComparedRun compared : runs) {
      ExperimentBound.figures(compared.run())
          .forEach((name, bound) -> means.merge(name, bound / runs.size(), Double::sum));
    }
    return means;
  }

  private static int status(Comparison comparison, Judging judging, Console console) {
    if (!judging.gate) {
      return ExitStatus.DONE;
    }
    if (comparison.isWorse()) {
      console.line("gate      B is worse");
      return ExitStatus.MISSED;
    }
    if (comparison.primaryVerdict() == Comparison.Verdict.CANNOT_TELL) {
      console.line("gate      nothing can be told of the primary figure");
      return ExitStatus.INCONCLUSIVE;
    }
    return ExitStatus.DONE;
  }

  private static List<ComparedRun> runs(Path folder) throws UserMistakeException {
    List<ComparedRun> runs = new ArrayList<>();
    for (FinishedRun run : ComparedRun.runs(folder)) {
      var parsed = ExperimentFile.read(run.config(), List.of(), Registries.vocabulary());
      runs.add(new ComparedRun(run, parsed.experiment().lanes().ahead()));
    }
    return runs;
  }

  private static String name(String what, List<ComparedRun> runs) {
    return "%s (%s, %s)"
        .formatted(
            what,
            runs.get(0).run().summary().path("scheduler_name").asText(),
            runs.size() == 1 ? "1 run" : runs.size() + " runs");
  }

  private static Path beside(Path a, Path b) {
    Path normal = b.toAbsolutePath().normalize();
    return normal.resolveSibling(
        "compare-%s-%s.html"
            .formatted(a.toAbsolutePath().normalize().getFileName(), normal.getFileName()));
  }
}
