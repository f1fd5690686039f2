package dev.sluice.harness.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sluice.analytics.check.CheckReport;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.RunCheck;
import dev.sluice.analytics.check.ScheduleCheck;
import dev.sluice.analytics.report.ScreenText;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.workflow.ExecutionLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One check of a schedule, from a log or a run's folder to the printed report.
 *
 * @param subject a run's folder or an execution log, which came from system and requests
 */
public record CheckRun(
    Path subject,
    @Nullable Path system,
    @Nullable Path requests,
    boolean quiet,
    boolean saveReport,
    boolean json) {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING);
  private static final int FAULTS_SHOWN = 10;

  public int execute() throws UserMistakeException, IOException {
    CheckReport report = check();
    if (json) {
      System.out.println(JSON.writeValueAsString(asJson(report)));
    } else if (quiet) {
      System.out.println(report.verdict());
    } else {
      lines(report, FAULTS_SHOWN).forEach(System.out::println);
    }
    if (saveReport) {
      save(report);
    }
    return report.passed() ? ExitStatus.DONE : ExitStatus.FAULTS;
  }

  private CheckReport check() throws UserMistakeException {
    if (!Files.isDirectory(subject) || Files.exists(subject.resolve(ExecutionLog.NAME))) {
      Path log = Files.isDirectory(subject) ? subject.resolve(ExecutionLog.NAME) : subject;
      return ScheduleCheck.of(log, system, requests);
    }
    UserMistakeException.throwIf(
        system != null,
        "--system",
        "a run's folder has no workflow files (" + subject + ")",
        "you want to leave --system and --requests out");
    return RunCheck.of(subject);
  }

  private static List<String> lines(CheckReport report, int faultsShown) {
    List<String> lines = new ArrayList<>();
    lines.add(report.subject());
    for (Rule rule : Rule.values()) {
      Long looked = report.looked().get(rule);
      Long faults = report.faultCounts().get(rule);
      if (faults != null) {
        lines.add(line(rule, "FAULTS  " + faults + ", where it must hold: " + rule.meaning()));
        report.faults().stream()
            .filter(fault -> fault.rule() == rule)
            .limit(faultsShown)
            .forEach(fault -> lines.add("    " + fault.where() + ": " + fault.what()));
        long unsaid = faults - Math.min(faultsShown, faults);
        if (unsaid > 0) {
          lines.add("    and " + unsaid + " more");
        }
      } else if (report.leftOut().containsKey(rule)) {
        lines.add(line(rule, "not checked: " + report.leftOut().get(rule)));
      } else if (looked != null) {
        lines.add(line(rule, "holds in " + looked + " of " + looked + ": " + rule.meaning()));
      }
    }
    if (!report.extent().resting().isEmpty()) {
      lines.add(
          ScreenText.wrapped("  not counted   ", String.join(", ", report.extent().resting())));
    }
    lines.add(report.verdict());
    return lines;
  }

  private static String line(Rule rule, String text) {
    return ScreenText.wrapped(String.format(Locale.ROOT, "  %-13s ", rule), text);
  }

  private static Map<String, Object> asJson(CheckReport report) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("subject", report.subject());
    fields.put("passed", report.passed());
    fields.put("rows", report.extent().rows());
    fields.put("numbers", report.extent().numbers());
    fields.put("numbers_stated", report.extent().numbersStated());
    fields.put("numbers_not_counted", report.extent().resting());
    fields.put("measured", report.looked().getOrDefault(Rule.MEASURED, 0L));
    fields.put("looked", report.looked());
    fields.put("not_checked", report.leftOut());
    fields.put("fault_counts", report.faultCounts());
    fields.put("faults", report.faults());
    return fields;
  }

  private void save(CheckReport report) throws UserMistakeException {
    Path file =
        Files.isDirectory(subject)
            ? subject.resolve("check.txt")
            : subject.resolveSibling(subject.getFileName() + ".check.txt");
    try {
      Files.write(file, lines(report, Integer.MAX_VALUE), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UserMistakeException(
          "--save-report",
          "the report cannot be written (" + file + ": " + UserMistakeException.reason(e) + ")",
          "you lack the right to write there",
          e);
    }
    if (!json) {
      System.out.println("Report    " + file);
    }
  }
}
