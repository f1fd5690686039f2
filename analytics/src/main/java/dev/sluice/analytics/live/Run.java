package dev.sluice.analytics.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Summary;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordingReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a run is, live or finished: who it is, what it promised, and how it came out.
 *
 * @param summary the tree of summary.json; null before the run's end, and of one that was given up
 */
public record Run(
    String id,
    State state,
    RunConfig config,
    Origin origin,
    @Nullable JsonNode summary,
    @Nullable String failure) {
  public enum State {
    LIVE,
    /** It ended while somebody watched. */
    ENDED,
    /** Its folder is whole. */
    FINISHED,
    FAILED,
    /** Its folder is there, and tells nothing. */
    UNREADABLE;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Where a run's figures come from.
   *
   * @param notes lines that every output shows first
   * @param timeZeroEpochMs time zero, milliseconds since 1970; null: unknown
   * @param configDigest SHA-256 of the resolved experiment; null: unknown
   * @param requestDigest SHA-256 of the request list; null: unknown
   * @param emulated true if lanes waited instead of computing
   * @param simulated true if nothing ran
   * @param versions versions by name
   */
  record Origin(
      List<String> notes,
      @Nullable Long timeZeroEpochMs,
      @Nullable String configDigest,
      @Nullable String requestDigest,
      boolean emulated,
      boolean simulated,
      Map<String, String> versions) {}

  /** A run as the topic {@code metrics} describes it; it goes on unless it is summarized. */
  public static Run of(RunDescribed described, @Nullable RunSummarized summarized) {
    JsonNode summary = null;
    String failure = null;
    if (summarized != null) {
      failure = summarized.failure();
      String text = summarized.summaryJson();
      try {
        summary = text == null ? null : Json.MAPPER.readTree(text);
      } catch (JsonProcessingException e) {
        failure = failure == null ? "its summary cannot be read" : failure;
      }
    }
    State state =
        summarized == null
            ? State.LIVE
            : failure != null || summary == null || hasFailed(summary) ? State.FAILED : State.ENDED;
    var origin =
        new Origin(
            described.notes(),
            described.timeZeroEpochMs(),
            described.configDigest(),
            described.requestDigest(),
            described.emulated(),
            false,
            described.versions());
    return new Run(
        described.runId(),
        state,
        RunConfig.of(described.experimentYaml()),
        origin,
        summary,
        failure);
  }

  public static Run of(FinishedRun run) throws UserMistakeException {
    JsonNode summary = run.summary();
    Map<String, String> versions =
        Json.MAPPER.convertValue(
            summary.path("versions").isObject() ? summary.path("versions") : Json.object(),
            Json.MAPPER
                .getTypeFactory()
                .constructMapType(TreeMap.class, String.class, String.class));
    var origin =
        new Origin(
            Json.texts(summary.path("notes")),
            timeZeroEpochMs(run.folder().resolve(FolderFiles.LOG)),
            orNull(summary.path("config_digest")),
            orNull(summary.path("request_digest")),
            summary.path("emulated").asBoolean(),
            run.isSimulated(),
            versions);
    return new Run(
        summary.path("run_id").asText(run.name()),
        hasFailed(summary) ? State.FAILED : State.FINISHED,
        RunConfig.of(config(run)),
        origin,
        summary,
        orNull(summary.path("failure")));
  }

  private static String config(FinishedRun run) throws UserMistakeException {
    try {
      return Files.readString(run.config());
    } catch (IOException e) {
      throw new UserMistakeException(
          run.config().toString(),
          "this cannot be read (" + UserMistakeException.reason(e) + ")",
          "the run's folder is not whole",
          e);
    }
  }

  /** The time zero that a recording's header names; null: there is no recording. */
  private static @Nullable Long timeZeroEpochMs(Path log) {
    try {
      return Files.exists(log)
          ? Long.valueOf(RecordingReader.headerOf(log).timeZeroEpochMs())
          : null;
    } catch (UserMistakeException e) {
      return null;
    }
  }

  private static boolean hasFailed(JsonNode summary) {
    return summary.path("verdict").asText().equals("failed");
  }

  private static @Nullable String orNull(JsonNode text) {
    return text.isTextual() ? text.asText() : null;
  }

  /** Words of the run that stand before all else, each with its reasons. */
  public Map<String, List<String>> words() {
    Map<String, List<String>> words = new LinkedHashMap<>();
    if (origin.emulated()) {
      words.put("emulated", List.of("lanes waited instead of computing"));
    }
    if (origin.simulated()) {
      words.put("simulated", List.of("nothing ran and nothing waited"));
    }
    if (summary != null) {
      List<String> reasons = Json.texts(summary.path("not_comparable"));
      if (!reasons.isEmpty()) {
        words.put("not comparable", reasons);
      }
      Json.texts(summary.path("notes")).stream()
          .filter(note -> note.startsWith(Summary.BUSY_MACHINE))
          .map(note -> note.substring(Summary.BUSY_MACHINE.length()))
          .forEach(others -> words.put("busy machine", List.of(others)));
      if (summary.path("unstable").asBoolean()) {
        words.put("unstable", List.of("the queue rose over the whole measured window"));
      }
    }
    return words;
  }

  /** Name of the policy; empty if the experiment does not tell it. */
  public String policy() {
    String policy = config.text("scheduler_name");
    return policy == null ? "" : policy;
  }

  /** The first lines of every output: the notes, and what the run is. */
  List<String> firstLines() {
    List<String> lines = new ArrayList<>();
    origin.notes().forEach(note -> lines.add("! " + note));
    lines.add(config.text("run_name") + ", policy " + policy() + ", " + id);
    return lines;
  }

  /** The run as pages read it, with its seconds so far. */
  public ObjectNode json(List<MetricsWindow> windows) {
    MetricsWindow last = windows.isEmpty() ? null : windows.get(windows.size() - 1);
    ObjectNode json = Json.object();
    json.put("id", id);
    json.put("state", state.text());
    ArrayNode words = json.putArray("words");
    words()
        .forEach(
            (word, why) -> words.addObject().put("word", word).put("why", String.join("; ", why)));
    ArrayNode lines = json.putArray("first_lines");
    firstLines().forEach(lines::add);
    json.put("policy", policy());
    ObjectNode weights = json.putObject("weights");
    config.weights().forEach(weights::put);
    json.put("lanes", last == null || last.lanes() == 0 ? config.lanes() : last.lanes());
    json.putNull("executors");
    json.set("time_zero_epoch_ms", Json.whole(origin.timeZeroEpochMs()));
    json.set("planned_seconds", Json.number(config.number("duration_seconds")));
    json.set("warmup_seconds", Json.number(config.number("warmup_seconds")));
    json.put("now_seconds", last == null ? 0 : last.toNs() / 1_000_000_000L);
    ArrayNode classes = json.putArray("classes");
    for (String name : config.classes()) {
      ObjectNode entry = classes.addObject().put("name", name);
      entry.set("slo_ms", Json.number(config.number("classes", name, "slo_ms")));
      entry.set("slo_scale", Json.number(config.number("classes", name, "slo_scale")));
      Double priority = config.number("classes", name, "priority");
      entry.set(
          "priority", Json.whole(priority == null ? null : Long.valueOf(Math.round(priority))));
    }
    json.set(
        "thresholds", summary == null ? Thresholds.soFar(config, windows) : Thresholds.of(summary));
    json.set("summary", summary);
    json.put("failure", failure);
    json.put("config", config.yaml());
    json.putObject("digests")
        .put("config", origin.configDigest())
        .put("requests", origin.requestDigest());
    ObjectNode versions = json.putObject("versions");
    origin.versions().forEach(versions::put);
    String folder = "results/" + id;
    json.putObject("commands")
        .put("explain", "./sluice explain " + folder + " JOB")
        .put("report", "./sluice report " + folder)
        .put("simulate", "./sluice simulate --like " + folder);
    json.put(
        "report",
        state == State.ENDED || state == State.FINISHED ? folder + "/" + FolderFiles.REPORT : null);
    json.put("provisional", state == State.LIVE);
    return json;
  }
}
