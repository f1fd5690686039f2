package dev.sluice.producer.trace;

import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.file.DateTimes;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.arrivals.RandomStream;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The known formats of traces. A new format is one entry here. */
final class TraceFormats {
  private static final int MINUTES = 1440;
  private static final long MINUTE_NS = 60_000_000_000L;
  private static final List<String> FUNCTION_NAMES =
      List.of("HashOwner", "HashApp", "HashFunction", "Trigger");

  private static final String TIME = "time_s";

  /** Seconds since 1970 of a day in 2001, and of one in 2286: times between them are dates. */
  private static final BigDecimal DATES_FROM = BigDecimal.valueOf(1_000_000_000L);

  private static final BigDecimal DATES_TO = BigDecimal.valueOf(10_000_000_000L);

  /**
   * A trace of the user's own, CSV or JSON Lines: {@code time_s} in seconds from the trace's time
   * zero, rising; optionally class, workload, backend, precision, samples, slo_ms.
   */
  static final TraceFormat OWN =
      new TraceFormat(
          "a trace of your own",
          List.of(TIME),
          List.of(TIME),
          List.of(TIME),
          TIME + "; optionally " + String.join(",", Replay.ATTRIBUTES),
          false,
          TraceFormats::ownTrace);

  /** Azure Functions 2019: Shahrad et al., "Serverless in the Wild", ATC 2020. */
  private static final TraceFormat FUNCTIONS_2019 =
      new TraceFormat(
          "Azure Functions 2019",
          functionsTo(1),
          functionsTo(MINUTES),
          functionsTo(MINUTES),
          String.join(",", FUNCTION_NAMES) + ",1 … " + MINUTES,
          false,
          TraceFormats::invocationsByMinute);

  private static final List<TraceFormat> ALL =
      List.of(
          OWN,
          FUNCTIONS_2019,
          TraceFormat.of(
              "Azure Functions 2021",
              false,
              TraceFormats::invocationsByEnd,
              "app",
              "func",
              "end_timestamp",
              "duration"),
          TraceFormat.of( // LMM 2025 adds NumImages
                  "Azure LLM 2023 and 2024, LMM 2025",
                  true,
                  dates("TIMESTAMP"),
                  "TIMESTAMP",
                  "ContextTokens")
              .published("TIMESTAMP", "ContextTokens", "GeneratedTokens"),
          TraceFormat.of( // with or without the columns Session ID and Elapsed time
                  "BurstGPT",
                  false,
                  TraceFormats::requestsWithResponse,
                  "Timestamp",
                  "Response tokens")
              .published(
                  "Timestamp",
                  "Model",
                  "Request tokens",
                  "Response tokens",
                  "Total tokens",
                  "Log Type"),
          TraceFormat.of( // before Mooncake, whose columns it has too; JSON Lines, in seconds
                  "Qwen-Bailian",
                  false,
                  numbers("timestamp", TraceRows::secondsAsNs),
                  "chat_id",
                  "timestamp")
              .published("chat_id", "timestamp", "input_length", "output_length", "hash_ids"),
          TraceFormat.of( // Qin et al., FAST 2025: JSON Lines, in milliseconds
                  "Mooncake",
                  false,
                  numbers("timestamp", TraceRows::msAsNs),
                  "timestamp",
                  "input_length")
              .published("timestamp", "input_length", "output_length", "hash_ids"),
          TraceFormat.of( // cluster-trace-v2026-GenAI: whole seconds, so that many are equal
              "Alibaba GenAI 2026",
              true,
              dates("gmt_create"),
              "gmt_create",
              "num_images_per_prompt"),
          TraceFormat.of( // Agrawal et al., MLSys 2024
                  "Vidur", false, numbers("arrived_at", TraceRows::secondsAsNs), "arrived_at")
              .published("arrived_at", "num_prefill_tokens", "num_decode_tokens"));

  /**
   * One form in which traces are published.
   *
   * @param title name for a person, for example {@code Mooncake}
   * @param known columns by which the format is known; asked in the registry's order
   * @param columns columns that are read, or tell the format from others
   * @param published columns with which the format is published
   * @param shown columns as a message shows them
   * @param isDated whether times count from an origin outside the file, so that the earliest row
   *     becomes time zero. If not, they count from the trace's own time zero
   */
  record TraceFormat(
      String title,
      List<String> known,
      List<String> columns,
      List<String> published,
      String shown,
      boolean isDated,
      Opening opening) {
    private static TraceFormat of(
        String title, boolean isDated, Opening opening, String... columns) {
      List<String> all = List.of(columns);
      return new TraceFormat(title, all, all, all, String.join(",", all), isDated, opening);
    }

    private TraceFormat published(String... all) {
      return new TraceFormat(
          title, known, columns, List.of(all), String.join(",", all), isDated, opening);
    }
  }

  interface Opening {
    /**
     * Begins reading.
     *
     * @param rows rows of the file, before the first
     * @param seed the run's seed, for formats that leave times to chance
     */
    RowReader open(TraceRows rows, long seed) throws UserMistakeException;
  }

  interface RowReader {
    /** Adds the present row's jobs, each with a kind, or leaves them out. */
    void read(RequestKind kind, Trace trace) throws UserMistakeException;
  }

  private TraceFormats() {}

  private static List<String> functionsTo(int minute) {
    return Stream.concat(
            FUNCTION_NAMES.stream(), IntStream.rangeClosed(1, minute).mapToObj(Integer::toString))
        .toList();
  }

  static TraceFormat of(Place header, Collection<String> columns) throws UserMistakeException {
    Set<String> inAnyCase = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    inAnyCase.addAll(columns);
    for (Collection<String> names : List.of(columns, inAnyCase)) {
      for (TraceFormat format : ALL) {
        if (names.containsAll(format.known())) {
          return format;
        }
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
          "this makes commas of them, and points of the commas in its numbers: sed 's/,/./g;"
              + " s/;/,/g' "
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

  /** A request in each row, at a date with a time. */
  private static Opening dates(String column) {
    return (rows, seed) -> {
      var times = new DateTimes(rows, column);
      return (kind, trace) -> {
        if (times.isThere()) {
          trace.add(times.epochNs(), kind);
        } else {
          trace.leaveOut("without " + column, 1);
        }
      };
    };
  }

  /** Reads a number of one unit, in a column whose name a mistake tells, as nanoseconds. */
  private interface Unit {
    long readAsNs(TraceRows rows, int column, String name) throws UserMistakeException;
  }

  /** A request in each row, at a number that the unit reads. */
  private static Opening numbers(String column, Unit unit) {
    return (rows, seed) -> {
      int time = rows.column(column);
      return (kind, trace) -> {
        if (rows.isEmpty(time)) {
          trace.leaveOut("without " + column, 1);
        } else {
          trace.add(unit.readAsNs(rows, time, column), kind);
        }
      };
    };
  }

  /**
   * A row a function, with its invocations in each minute of a day. The times within a minute are
   * not published; the seed spreads them uniformly.
   */
  private static RowReader invocationsByMinute(TraceRows rows, long seed)
      throws UserMistakeException {
    int[] minutes = new int[MINUTES];
    for (int minute = 0; minute < MINUTES; minute++) {
      minutes[minute] = rows.column(Integer.toString(minute + 1));
    }
    RandomStream random = RandomStream.of(seed, "trace-minutes");
    return (kind, trace) -> {
      for (int minute = 0; minute < MINUTES; minute++) {
        int column = minutes[minute];
        if (rows.says(column, "0")) {
          continue; // most are
        }
        long count = rows.whole(column, "minute " + (minute + 1));
        if (count < 0) {
          throw rows.mistake(
              "minute %d (%d) is below 0".formatted(minute + 1, count), "a digit is wrong");
        }
        long beginNs = minute * MINUTE_NS;
        if (!trace.leavesOut(beginNs, beginNs + MINUTE_NS - 1, count)) {
          for (long i = 0; i < count; i++) {
            trace.add(beginNs + (long) (random.nextOpenUnit() * MINUTE_NS), kind);
          }
        }
      }
    };
  }

  /**
   * A row an invocation, with its end and its duration in seconds. It began at end − duration, so
   * that the rows are not in the order of their beginnings.
   */
  private static RowReader invocationsByEnd(TraceRows rows, long seed) throws UserMistakeException {
    int end = rows.column("end_timestamp");
    int duration = rows.column("duration");
    return (kind, trace) -> {
      if (rows.isEmpty(end) || rows.isEmpty(duration)) {
        trace.leaveOut("without end_timestamp or duration", 1);
        return;
      }
      long durationNs = rows.secondsAsNs(duration, "duration");
      if (durationNs < 0) {
        trace.leaveOut("with a duration below 0", 1);
      } else {
        trace.add(Math.subtractExact(rows.secondsAsNs(end, "end_timestamp"), durationNs), kind);
      }
    };
  }

  /**
   * A row a request, its time in seconds from the beginning of the first day. A request without
   * response tokens failed, and is left out.
   */
  private static RowReader requestsWithResponse(TraceRows rows, long seed)
      throws UserMistakeException {
    int response = rows.column("Response tokens");
    int time = rows.column("Timestamp");
    RowReader reader = numbers("Timestamp", TraceRows::secondsAsNs).open(rows, seed);
    return (kind, trace) -> {
      if (!rows.isEmpty(time)
          && (rows.isEmpty(response) || rows.whole(response, "Response tokens") == 0)) {
        trace.leaveOut("failed, without response tokens", 1);
      } else {
        reader.read(kind, trace);
      }
    };
  }

  private static RowReader ownTrace(TraceRows rows, long seed) throws UserMistakeException {
    int time = rows.column(TIME);
    RowReader reader = numbers(TIME, TraceRows::secondsAsNs).open(rows, seed);
    return (kind, trace) -> {
      if (trace.read() == 0) {
        refuseFineDates(rows, time);
      }
      reader.read(kind, trace);
    };
  }

  /** Refuses a first time that is one of today only as milliseconds or less since 1970. */
  private static void refuseFineDates(TraceRows rows, int time) throws UserMistakeException {
    BigDecimal number = Numbers.decimal(rows.text(time));
    for (Map.Entry<String, Integer> unit :
        Map.of("milliseconds", 3, "microseconds", 6, "nanoseconds", 9).entrySet()) {
      if (number != null && isDate(number.movePointLeft(unit.getValue()))) {
        throw rows.mistake(
            "time_s (%s) is out of range: as it stands it counts %s since 1970"
                .formatted(rows.text(time), unit.getKey()),
            "seconds since the first request are meant. " + shifted(rows, unit.getValue()));
      }
    }
  }

  private static boolean isDate(BigDecimal seconds) {
    return seconds.compareTo(DATES_FROM) >= 0 && seconds.compareTo(DATES_TO) < 0;
  }

  /**
   * Refuses a trace of which a run would play nothing, because its times count from 1970.
   *
   * @param rows rows of the trace, all of which have been read
   * @param firstNs time of the first
   */
  static void refuseDates(TraceRows rows, long firstNs) throws UserMistakeException {
    BigDecimal seconds = BigDecimal.valueOf(firstNs, 9);
    if (isDate(seconds)) {
      throw new UserMistakeException(
          rows.header(),
          "time_s begins at (%s), which counts seconds since 1970, and no request is left to play"
              .formatted(seconds.stripTrailingZeros().toPlainString()),
          "seconds since the first request are meant. " + shifted(rows, 0));
    }
  }

  /** How a CSV file gets times since its first row. */
  private static String shifted(TraceRows rows, int decimals) {
    if (rows.isSparse()) {
      return "Each time should have the first one taken away"
          + (decimals == 0 ? "" : ", and be divided by 10^" + decimals);
    }
    int field = rows.columns().indexOf(TIME) + 1;
    return ("This writes them: awk -F, -v OFS=, 'NR==2{z=$%d}"
            + " NR>1{$%d=sprintf(\"%%.6f\",($%d-z)%s)} 1' %s > shifted.csv")
        .formatted(
            field, field, field, decimals == 0 ? "" : "/1e" + decimals, rows.header().source());
  }
}
