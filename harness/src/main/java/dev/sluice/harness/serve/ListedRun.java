package dev.sluice.harness.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.contract.file.UserMistakeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
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
  private static final JsonFactory JSON = new JsonFactory();

  /** Names of summary.json that the list shows, with their names in the list. */
  private static final Map<String, String> FIGURES =
      Map.of(
          "asked_rate_jobs_sec", "rate_per_s",
          "all_goodput_jobs_sec", "goodput_per_s",
          "all_p99_e2e_ms", "p99_ms",
          "all_slo_violation_rate", "late",
          "duration_seconds", "seconds");

  /** The last of these names in summary.json: what follows is not read. */
  private static final String LAST = "asked_rate_jobs_sec";

  /** The last but one: between the two stand hundreds of figures that the list does not show. */
  private static final String LAST_BUT_ONE = "all_goodput_jobs_sec";

  private static final String NUMBER = "-+.0123456789eE";

  private static final byte[] LAST_BEGIN = ("\n  \"" + LAST + "\" : ").getBytes(UTF_8);

  private static final List<String> ORDER =
      List.of("rate_per_s", "goodput_per_s", "p99_ms", "late", "started_epoch_ms", "seconds");

  /** How far a run is. */
  enum State {
    LIVE,
    ENDED,
    FINISHED,
    FAILED,
    UNREADABLE;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  ListedRun {
    words = List.copyOf(words);
    why = List.copyOf(why);
    figures = Map.copyOf(figures);
  }

  /** A run of which no more is known than how far it is. */
  static ListedRun of(String id, State state, List<String> why) {
    return new ListedRun(id, state, List.of(), why, null, Map.of());
  }

  /**
   * Reads the first figures of a folder's summary.json.
   *
   * @param writtenEpochMs time at which the file was written
   */
  static ListedRun read(String id, State state, Path summary, long writtenEpochMs) {
    try {
      return read(id, state, Files.readAllBytes(summary), writtenEpochMs);
    } catch (JsonProcessingException e) {
      return unreadable(id, "summary.json is no whole JSON: " + UserMistakeException.reason(e));
    } catch (IOException e) {
      return unreadable(id, "summary.json cannot be read");
    }
  }

  private static ListedRun unreadable(String id, String why) {
    return of(id, State.UNREADABLE, List.of(why));
  }

  private static ListedRun read(String id, State state, byte[] summary, long writtenEpochMs)
      throws IOException {
    List<String> words = new ArrayList<>();
    List<String> why = new ArrayList<>();
    Map<String, Double> figures = new HashMap<>();
    String policy = null;
    boolean known = false;
    boolean noneDone = false;
    try (JsonParser json = JSON.createParser(summary)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return unreadable(id, "summary.json is no JSON object");
      }
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        JsonToken value = json.nextToken();
        switch (name) {
          case "repeats" -> {
            return new ListedRun(
                id,
                state,
                List.of("repeats"),
                List.of(json.getText() + " runs lie in its folder: ./sluice serve that folder"),
                null,
                Map.of());
          }
          case "run_id" -> known = true;
          case "scheduler_name" -> policy = json.getValueAsString();
          case "emulated", "simulated" -> {
            if (value == JsonToken.VALUE_TRUE) {
              words.add(name);
            }
          }
          case "notes" -> readTexts(json, why);
          case "not_comparable" -> {
            if (readTexts(json, why) > 0) {
              words.add("not comparable");
            }
          }
          default -> {
            String listed = FIGURES.get(name);
            if (listed != null && value.isNumeric()) {
              figures.put(listed, json.getDoubleValue());
            } else if (name.equals("all_p99_e2e_ms") && value == JsonToken.VALUE_NULL) {
              noneDone = true;
            } else if (name.equals("all_count") && value.isNumeric() && json.getLongValue() == 0) {
              figures.put("none", 1.0);
            }
            json.skipChildren();
          }
        }
        if (name.equals(LAST)) {
          break;
        }
        if (name.equals(LAST_BUT_ONE)) {
          Double last = last(summary, (int) json.currentLocation().getByteOffset());
          if (last != null) {
            figures.put("rate_per_s", last);
            break;
          }
        }
      }
    }
    if (!known) {
      return unreadable(id, "summary.json is not of a run");
    }
    boolean none = figures.remove("none") != null;
    if (noneDone && !none) {
      figures.put("p99_ms", Double.POSITIVE_INFINITY);
    }
    figures.put("started_epoch_ms", writtenEpochMs - 1000 * figures.getOrDefault("seconds", 0.0));
    return new ListedRun(id, state, words, why, policy, figures);
  }

  /** The last figure, found by its line; null: it has none, and the parser must look for it. */
  private static @Nullable Double last(byte[] summary, int from) {
    for (int at = from; at < summary.length - LAST_BEGIN.length; at++) {
      int end = at + LAST_BEGIN.length;
      if (summary[at] == '\n'
          && Arrays.equals(summary, at, end, LAST_BEGIN, 0, LAST_BEGIN.length)) {
        int begin = end;
        while (end < summary.length && NUMBER.indexOf(summary[end]) >= 0) {
          end++;
        }
        try {
          return end == summary.length
              ? null // half written
              : Double.valueOf(new String(summary, begin, end - begin, UTF_8));
        } catch (NumberFormatException e) {
          return null; // null, or no number
        }
      }
    }
    return null;
  }

  private static int readTexts(JsonParser json, List<String> texts) throws IOException {
    int read = 0;
    if (json.currentToken() == JsonToken.START_ARRAY) {
      while (json.nextToken() != JsonToken.END_ARRAY) {
        texts.add(json.getValueAsString(""));
        read++;
      }
    }
    return read;
  }

  /** The list of runs as JSON. */
  static byte[] json(List<ListedRun> runs) {
    var bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeArrayFieldStart("runs");
      for (ListedRun run : runs) {
        run.write(json);
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("id", id);
    json.writeStringField("state", state.text());
    writeTexts(json, "words", words);
    writeTexts(json, "why", why);
    json.writeStringField("policy", policy);
    for (String name : ORDER) {
      Double value = figures.get(name);
      json.writeFieldName(name);
      if (value == null) {
        json.writeNull();
      } else if (value.isInfinite()) {
        json.writeString("inf");
      } else if (name.equals("started_epoch_ms")) {
        json.writeNumber(value.longValue());
      } else {
        json.writeNumber(value);
      }
    }
    json.writeEndObject();
  }

  private static void writeTexts(JsonGenerator json, String name, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }
}
