package dev.sluice.harness.serve;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.live.Run.State;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One row of the list of runs.
 *
 * @param words what must be said of the run before all else, such as {@code emulated}
 * @param why a sentence for each reason against trusting or comparing the run
 * @param figures figures by their names in the list; one that is absent is null there
 */
record ListedRun(
    String id,
    State state,
    List<String> words,
    List<String> why,
    @Nullable String policy,
    Map<String, Double> figures) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Names of summary.json that the list shows, with their names in the list. */
  private static final Map<String, String> FIGURES =
      Map.of(
          "asked_rate_jobs_sec", "rate_per_s",
          "all_goodput_jobs_sec", "goodput_per_s",
          "all_p99_e2e_ms", "p99_ms",
          "all_slo_violation_rate", "late",
          "duration_seconds", "seconds");

  private static final List<String> ORDER =
      List.of("rate_per_s", "goodput_per_s", "p99_ms", "late", "started_epoch_ms", "seconds");

  ListedRun {
    words = List.copyOf(words);
    why = List.copyOf(why);
    figures = Map.copyOf(figures);
  }

  /** A run of which no more is known than how far it is. */
  static ListedRun of(String id, State state, String why) {
    return new ListedRun(id, state, List.of(), List.of(why), null, Map.of());
  }

  /** Reads the figures of a folder's summary.json, written at that time. */
  static ListedRun read(String id, State state, Path summary, long writtenEpochMs) {
    try {
      return read(id, state, JSON.readTree(Files.readAllBytes(summary)), writtenEpochMs);
    } catch (JsonProcessingException e) {
      return unreadable(id, "summary.json is no whole JSON: " + UserMistakeException.reason(e));
    } catch (IOException e) {
      return unreadable(id, "summary.json cannot be read");
    }
  }

  private static ListedRun unreadable(String id, String why) {
    return of(id, State.UNREADABLE, why);
  }

  private static ListedRun read(String id, State state, JsonNode summary, long writtenEpochMs) {
    if (!summary.isObject()) {
      return unreadable(id, "summary.json is no JSON object");
    }
    if (summary.has("repeats")) {
      String runs = summary.get("repeats").asText();
      return new ListedRun(
          id,
          state,
          List.of("repeats"),
          List.of(runs + " runs lie in its folder: ./sluice serve that folder"),
          null,
          Map.of());
    }
    if (!summary.has("run_id")) {
      return unreadable(id, "summary.json is not of a run");
    }
    List<String> words = new ArrayList<>();
    for (String word : List.of("emulated", "simulated")) {
      if (summary.path(word).asBoolean()) {
        words.add(word);
      }
    }
    List<String> why = new ArrayList<>();
    summary.path("notes").forEach(note -> why.add(note.asText("")));
    if (!summary.path("not_comparable").isEmpty()) {
      words.add("not comparable");
      summary.path("not_comparable").forEach(reason -> why.add(reason.asText("")));
    }
    Map<String, Double> figures = new HashMap<>();
    FIGURES.forEach(
        (name, listed) -> {
          if (summary.path(name).isNumber()) {
            figures.put(listed, summary.get(name).doubleValue());
          }
        });
    if (summary.path("all_p99_e2e_ms").isNull() && summary.path("all_count").asLong(1) > 0) {
      figures.put("p99_ms", Double.POSITIVE_INFINITY); // some jobs, and none of them done
    }
    figures.put("started_epoch_ms", writtenEpochMs - 1000 * figures.getOrDefault("seconds", 0.0));
    String policy = summary.path("scheduler_name").textValue();
    return new ListedRun(id, state, words, why, policy, figures);
  }

  static byte[] json(List<ListedRun> runs) {
    ObjectNode list = JSON.createObjectNode();
    ArrayNode rows = list.putArray("runs");
    runs.forEach(run -> rows.add(run.json()));
    return Runs.Shown.bytes(list);
  }

  private ObjectNode json() {
    ObjectNode json = JSON.createObjectNode().put("id", id).put("state", state.text());
    words.forEach(json.putArray("words")::add);
    why.forEach(json.putArray("why")::add);
    json.put("policy", policy);
    for (String name : ORDER) {
      Double value = figures.get(name);
      if (value != null && value.isInfinite()) {
        json.put(name, "inf");
      } else if (value != null && name.equals("started_epoch_ms")) {
        json.put(name, value.longValue());
      } else {
        json.put(name, value);
      }
    }
    return json;
  }
}
