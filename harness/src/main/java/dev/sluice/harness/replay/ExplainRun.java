package dev.sluice.harness.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.scheduler.explain.Explanation;
import dev.sluice.scheduling.core.SchedulingCore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One explanation, from a run's log or tables to the printed lines. */
public final class ExplainRun {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private final Options options;

  /**
   * Options of an explanation.
   *
   * @param subject folder of a run, or a recording of one
   * @param jobId id of the job
   * @param salvage true if a recording that was cut short is taken as far as it goes
   * @param json true if the explanation is printed as JSON
   */
  public record Options(Path subject, String jobId, boolean salvage, boolean json) {}

  public ExplainRun(Options options) {
    this.options = options;
  }

  /** Explains the job, prints it, and returns the exit status. */
  public int execute() throws UserMistakeException, InterruptedException {
    if (options.json()) {
      try {
        System.out.println(JSON.writeValueAsString(json()));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("an explanation cannot be written", e);
      }
    } else {
      lines().forEach(System.out::println);
    }
    return ExitStatus.DONE;
  }

  /** The explanation as lines for people. */
  List<String> lines() throws UserMistakeException, InterruptedException {
    return told().lines();
  }

  /** The explanation as a tree for JSON. */
  Map<String, Object> json() throws UserMistakeException, InterruptedException {
    return told().json();
  }

  /** An explanation as lines for people, and as a tree for JSON. */
  private record Told(List<String> lines, Map<String, Object> json) {
    static Told of(List<String> notes, List<String> lines, Map<String, Object> json) {
      List<String> all = new ArrayList<>(notes.size() + lines.size());
      notes.forEach(note -> all.add("note: " + note));
      all.addAll(lines);
      Map<String, Object> tree = new LinkedHashMap<>();
      tree.put("notes", notes);
      tree.putAll(json);
      return new Told(all, tree);
    }
  }

  private Told told() throws UserMistakeException, InterruptedException {
    Path subject = options.subject();
    if (!Files.exists(subject)) {
      throw new UserMistakeException(
          subject.toString(),
          "there is no such file or folder",
          "you meant a folder below results, or a log.jsonl.gz");
    }
    if (!Files.isDirectory(subject)) {
      return byLog(subject);
    }
    Path log = subject.resolve(FolderFiles.LOG);
    return Files.exists(log) ? byLog(log) : byTables(FinishedRun.read(subject));
  }

  private Told byLog(Path log) throws UserMistakeException, InterruptedException {
    JobReading.Read read = new JobReading(log, options.jobId()).read(options.salvage());
    Explanation explanation = read.explainer().explanation();
    if (explanation == null) {
      throw unknown(log, read.explainer().jobIds());
    }
    List<String> notes = new ArrayList<>();
    String core = read.header().core();
    if (!core.equals(SchedulingCore.DECISIONS_VERSION)) {
      notes.add(
          "core (%s) decided in this log, and this Sluice has core %s: its decisions may differ"
              .formatted(core, SchedulingCore.DECISIONS_VERSION));
    }
    if (read.loss() != null) {
      notes.add(read.loss());
    }
    for (String difference : explanation.differences()) {
      notes.add(
          "the decisions made again differ from the recorded ones (%s); ./sluice replay"
                  .formatted(difference)
              + " --decisions names the first difference");
    }
    return Told.of(notes, ExplanationText.of(explanation), ExplanationJson.of(explanation));
  }

  private Told byTables(FinishedRun run) throws UserMistakeException {
    TableExplanation explanation = TableExplanation.of(run, options.jobId());
    if (explanation == null) {
      throw unknown(run.folder(), run.jobIds());
    }
    return Told.of(List.of(), explanation.lines(), explanation.asJson());
  }

  private UserMistakeException unknown(Path where, Collection<String> known) {
    String jobId = options.jobId();
    List<String> nodes = known.stream().filter(id -> id.startsWith(jobId + "/")).sorted().toList();
    String maybe =
        nodes.isEmpty()
            ? known.isEmpty()
                ? "the run had no jobs"
                : "you meant " + NearestName.of(jobId, known).orElseGet(() -> likest(known))
            : "you meant a job of this workflow: " + ReadableTimes.some(nodes, 20);
    return new UserMistakeException(
        where.toString(),
        "job (%s) is none of its %s".formatted(jobId, ReadableTimes.count(known.size(), "job")),
        maybe);
  }

  /** Returns an id that begins as the asked one does, as far as any does. */
  private String likest(Collection<String> known) {
    String best = "";
    int longest = -1;
    for (String id : known) {
      int same = 0;
      while (same < Math.min(id.length(), options.jobId().length())
          && id.charAt(same) == options.jobId().charAt(same)) {
        same++;
      }
      if (same > longest) {
        best = id;
        longest = same;
      }
    }
    return best;
  }
}
