package dev.sluice.harness.replay;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializerBase;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingReader;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.scheduler.replay.Explainer;
import dev.sluice.scheduler.replay.Explanation;
import dev.sluice.scheduler.replay.ReplaySettings;
import dev.sluice.scheduling.core.SchedulingCore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One explanation, from a run's log or tables to the printed lines.
 *
 * @param subject folder of a run, or a recording, of which one that was cut short can be salvaged
 */
public record ExplainRun(Path subject, String jobId, boolean salvage, boolean json) {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
          .addModule(new SimpleModule().addSerializer(Enum.class, new LowerCase()))
          .build();

  private static final class LowerCase extends ToStringSerializerBase {
    private static final long serialVersionUID = 1;

    LowerCase() {
      super(Enum.class);
    }

    @Override
    public String valueToString(Object value) {
      return value.toString().toLowerCase(Locale.ROOT);
    }
  }

  /** An explanation as lines for people and as a tree for JSON, after some notes. */
  private record Report(List<String> notes, List<String> lines, Map<String, ?> tree) {}

  public int execute() throws UserMistakeException {
    if (json) {
      System.out.println(JSON.valueToTree(tree()).toPrettyString());
    } else {
      lines().forEach(System.out::println);
    }
    return ExitStatus.DONE;
  }

  List<String> lines() throws UserMistakeException {
    Report report = report();
    List<String> lines = new ArrayList<>();
    report.notes().forEach(note -> lines.add("note: " + note));
    lines.addAll(report.lines());
    return lines;
  }

  Map<String, Object> tree() throws UserMistakeException {
    Report report = report();
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("notes", report.notes());
    tree.putAll(report.tree());
    return tree;
  }

  private Report report() throws UserMistakeException {
    UserMistakeException.throwIf(
        !Files.exists(subject),
        subject.toString(),
        "there is no such file or folder",
        "you meant a folder below results, or a log.jsonl.gz");
    if (!Files.isDirectory(subject)) {
      return byLog(subject);
    }
    Path log = subject.resolve(FolderFiles.LOG);
    return Files.exists(log) ? byLog(log) : byTables(FinishedRun.read(subject));
  }

  /** Reads the whole log, so that its sum is proved, and explains the job. */
  private Report byLog(Path log) throws UserMistakeException {
    try (var reader = RecordingReader.ofLog(log, salvage)) {
      ReplaySettings settings = ReplaySettings.of(log, reader.header(), Registries.vocabulary());
      var explainer =
          new Explainer(
              log.toString(),
              jobId,
              () -> new SchedulingCore(settings.core(), settings.newPolicy()));
      for (RecordedEntry entry = reader.next(); entry != null; entry = reader.next()) {
        explainer.take(entry);
      }
      Explanation explanation = explainer.explanation();
      if (explanation == null) {
        throw unknown(log, explainer.jobIds());
      }
      Map<String, Object> tree = new LinkedHashMap<>();
      tree.put("source", "log");
      tree.putAll(JSON.convertValue(explanation, new TypeReference<Map<String, Object>>() {}));
      List<String> notes = notes(reader, explanation);
      return new Report(notes, ExplanationText.of(explanation), tree);
    }
  }

  private static List<String> notes(
      RecordingReader<RecordedEntry> reader, Explanation explanation) {
    List<String> notes = new ArrayList<>();
    String core = reader.header().core();
    if (!core.equals(SchedulingCore.DECISIONS_VERSION)) {
      notes.add(
          "core (%s) decided in this log, and this Sluice has core %s: its decisions may differ"
              .formatted(core, SchedulingCore.DECISIONS_VERSION));
    }
    if (reader.loss() != null) {
      notes.add(reader.loss());
    }
    for (String difference : explanation.differences()) {
      notes.add(
          "the decisions made again differ from the recorded ones (%s); ./sluice replay"
                  .formatted(difference)
              + " --decisions names the first difference");
    }
    return notes;
  }

  private Report byTables(FinishedRun run) throws UserMistakeException {
    TableExplanation explanation = TableExplanation.of(run, jobId);
    if (explanation == null) {
      throw unknown(run.folder(), run.jobIds());
    }
    return new Report(List.of(), explanation.lines(), explanation.asJson());
  }

  private UserMistakeException unknown(Path where, Collection<String> known) {
    List<String> nodes = known.stream().filter(id -> id.startsWith(jobId + "/")).sorted().toList();
    String maybe =
        nodes.isEmpty()
            ? known.isEmpty()
                ? "the run had no jobs"
                : "you meant " + NearestName.of(jobId, known).orElseGet(() -> likest(known))
            : "you meant a job of this workflow: " + ExplanationText.some(nodes, 20);
    return new UserMistakeException(
        where.toString(),
        "job (%s) is none of its %s".formatted(jobId, ExplanationText.count(known.size(), "job")),
        maybe);
  }

  /** Returns the first id that has most letters in common with the asked one before they part. */
  private String likest(Collection<String> known) {
    char[] asked = jobId.toCharArray();
    return known.stream()
        .max(Comparator.comparingInt(id -> Arrays.mismatch(id.toCharArray(), asked)))
        .orElseThrow();
  }
}
