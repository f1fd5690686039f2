package dev.sluice.producer.trace;

import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The known formats of traces. A new format is one entry here. */
public final class TraceFormats {
  private static final List<TraceFormat> ALL =
      List.of(
          new OwnTrace(),
          new AzureFunctions2019(),
          new AzureFunctions2021(),
          new TimedRows( // LMM 2025 adds NumImages
              "Azure LLM 2023 and 2024, LMM 2025",
              "TIMESTAMP",
              null,
              List.of("TIMESTAMP", "ContextTokens"),
              List.of("GeneratedTokens")),
          new BurstGpt(),
          new TimedRows( // before Mooncake, whose columns it has too; JSON Lines, in seconds
              "Qwen-Bailian",
              "timestamp",
              TraceRows::secondsAsNs,
              List.of("chat_id", "timestamp"),
              List.of("input_length", "output_length", "hash_ids")),
          new TimedRows( // Qin et al., FAST 2025: JSON Lines, in milliseconds
              "Mooncake",
              "timestamp",
              TraceRows::msAsNs,
              List.of("timestamp", "input_length"),
              List.of("output_length", "hash_ids")),
          new TimedRows( // cluster-trace-v2026-GenAI: whole seconds, so that many are equal
              "Alibaba GenAI 2026",
              "gmt_create",
              null,
              List.of("gmt_create", "num_images_per_prompt"),
              List.of()),
          new TimedRows( // Agrawal et al., MLSys 2024
              "Vidur",
              "arrived_at",
              TraceRows::secondsAsNs,
              List.of("arrived_at"),
              List.of("num_prefill_tokens", "num_decode_tokens")));

  private TraceFormats() {}

  /** Returns the names of all formats for a person, in the order in which files are tried. */
  public static List<String> titles() {
    return ALL.stream().map(TraceFormat::title).toList();
  }

  /** Returns the format of a file with these columns. */
  static TraceFormat of(Place header, Collection<String> columns) throws UserMistakeException {
    for (TraceFormat format : ALL) {
      if (format.matches(columns)) {
        return format;
      }
    }
    Set<String> inAnyCase = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    inAnyCase.addAll(columns);
    for (TraceFormat format : ALL) {
      if (format.matches(inAnyCase)) {
        return format;
      }
    }
    if (columns.size() == 1) {
      refuseOtherSeparator(header, columns.iterator().next());
    }
    TraceFormat nearest = nearest(columns);
    if (nearest != null) {
      String missing =
          nearest.columns().stream()
              .filter(column -> !columns.contains(column))
              .limit(5)
              .collect(Collectors.joining(", "));
      throw new UserMistakeException(
          header,
          "this looks like %s, and lacks the column (%s)".formatted(nearest.title(), missing),
          "a column was renamed or cut off; %s has %s".formatted(nearest.title(), nearest.shown()));
    }
    throw new UserMistakeException(
        header,
        "no known trace has these columns (%s)"
            .formatted(columns.stream().limit(12).collect(Collectors.joining(","))),
        "a column should be named time_s, in seconds, as in a trace of your own. Known traces: "
            + ALL.stream()
                .map(format -> format.title() + " (" + format.shown() + ")")
                .collect(Collectors.joining("; ")));
  }

  private static void refuseOtherSeparator(Place header, String line) throws UserMistakeException {
    String file = header.source();
    if (line.contains(";")) {
      throw new UserMistakeException(
          header,
          "the columns stand between semicolons, not commas (" + line + ")",
          "this makes commas of them, and points of the commas in its numbers: sed 's/,/./g; s/;/,/g' "
              + file
              + " > commas.csv");
    }
    if (line.contains("\t")) {
      throw new UserMistakeException(
          header,
          "the columns stand between tabs, not commas (" + line.replace("\t", ", ") + ")",
          "this makes commas of them: tr '\\t' ',' < " + file + " > commas.csv");
    }
  }

  /** The format that most of the columns speak for: at least two, and half of the format's. */
  private static @Nullable TraceFormat nearest(Collection<String> columns) {
    TraceFormat nearest = null;
    double most = 0.5;
    for (TraceFormat format : ALL) {
      var shared = new HashSet<>(format.published());
      shared.retainAll(columns);
      double share = shared.size() / (double) format.published().size();
      if (shared.size() >= 2 && share >= most && (nearest == null || share > most)) {
        nearest = format;
        most = share;
      }
    }
    return nearest;
  }
}
