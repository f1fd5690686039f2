package dev.sluice.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sluice.analytics.check.CheckReport;
import dev.sluice.analytics.check.Fault;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.RunCheck;
import dev.sluice.analytics.check.ScheduleCheck;
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
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice check LOG|RUN}: proves a schedule legal, or names each fault. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = {
      "Proves that a schedule is legal, or names each fault: its rule, the rows, the values.",
      "Reads a run's folder, live or simulated, or a log of executions on GPUs. It shares no code"
          + " with what made the schedule."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:no fault",
      "1:a bug",
      "2:a mistake in the command or in a file",
      "3:there are faults"
    },
    footer = {
      "",
      "Examples:",
      "  ./sluice check results/quickstart-20261121-101500",
      "  ./sluice check baseline_execution_log.json --system system_config.yaml"
          + " --requests workflow_requests.yaml"
    })
final class CheckCommand implements Callable<Integer> {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final int FAULTS_SHOWN = 10;

  @Parameters(
      arity = "0..1",
      paramLabel = "LOG|RUN",
      description =
          "A run's folder, or an execution log (default: baseline_execution_log.json, here).")
  private Path subject = Path.of(ExecutionLog.NAME);

  @Option(
      names = {"--system", "--config"},
      paramLabel = "FILE",
      description = "The models and workflows that the log came from (YAML or JSON).")
  private @Nullable Path system;

  @Option(
      names = "--requests",
      paramLabel = "FILE",
      description = "The requests that the log came from (YAML or JSON).")
  private @Nullable Path requests;

  @Option(names = "--quiet", description = "Prints one line: passed, or how many faults.")
  private boolean quiet;

  @Option(
      names = "--save-report",
      description = "Writes all that is printed, and more of the faults, beside LOG or into RUN.")
  private boolean saveReport;

  @Option(names = "--json", description = "Prints the report as JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    try {
      CheckReport report = check();
      if (json) {
        System.out.println(JSON.writeValueAsString(asJson(report)));
      } else if (quiet) {
        System.out.println(verdict(report));
      } else {
        lines(report, FAULTS_SHOWN).forEach(System.out::println);
      }
      if (saveReport) {
        save(report);
      }
      return report.passed() ? ExitStatus.DONE : ExitStatus.FAULTS;
    } catch (UserMistakeException e) {
      System.err.println(e.getMessage());
      return ExitStatus.MISTAKE;
    }
  }

  private CheckReport check() throws UserMistakeException {
    if ((system == null) != (requests == null)) {
      throw new UserMistakeException(
          system == null ? "--requests" : "--system",
          "there is no " + (system == null ? "--system" : "--requests") + " beside it",
          "you want to give both files, or none");
    }
    if (!Files.isDirectory(subject) || Files.exists(subject.resolve(ExecutionLog.NAME))) {
      Path log = Files.isDirectory(subject) ? subject.resolve(ExecutionLog.NAME) : subject;
      return ScheduleCheck.of(log, system, requests);
    }
    if (system != null) {
      throw new UserMistakeException(
          "--system",
          "a run's folder has no workflow files (" + subject + ")",
          "you want to leave --system and --requests out");
    }
    return RunCheck.of(subject);
  }

  static List<String> lines(CheckReport report, int faultsShown) {
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
    lines.add(verdict(report));
    return lines;
  }

  private static String line(Rule rule, String text) {
    return String.format(Locale.ROOT, "  %-13s %s", rule, text);
  }

  private static String verdict(CheckReport report) {
    return report.passed()
        ? "passed"
        : "failed: " + report.faultCount() + " faults against " + report.faultCounts().keySet();
  }

  private static Map<String, Object> asJson(CheckReport report) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("subject", report.subject());
    fields.put("passed", report.passed());
    fields.put("looked", byName(report.looked()));
    fields.put("not_checked", byName(report.leftOut()));
    fields.put("fault_counts", byName(report.faultCounts()));
    fields.put("faults", report.faults().stream().map(CheckCommand::asJson).toList());
    return fields;
  }

  private static Map<String, Object> asJson(Fault fault) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("rule", fault.rule().toString());
    fields.put("where", fault.where());
    fields.put("what", fault.what());
    return fields;
  }

  private static Map<String, Object> byName(Map<Rule, ?> byRule) {
    Map<String, Object> fields = new LinkedHashMap<>();
    byRule.forEach((rule, value) -> fields.put(rule.toString(), value));
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
          "you have to give yourself the right to write there",
          e);
    }
    if (!json) {
      System.out.println("Report    " + file);
    }
  }
}
