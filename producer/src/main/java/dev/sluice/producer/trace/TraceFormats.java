package dev.sluice.producer.trace;

import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.file.DateTimes;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.trace.TraceFormats.TraceFormat.RowReader;
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

  /** One form in which traces are published. */
  interface TraceFormat {
    /** Returns the name for a person, for example {@code Mooncake}. */
    String title();

    /** Returns the columns by which the format is known, among them all that are read. */
    List<String> columns();

    /** Returns the columns with which the format is published. */
    default List<String> published() {
      return columns();
    }

    /** Returns the columns as a message shows them. */
    default String shown() {
      return String.join(",", published());
    }

    /** Tells whether a file with these columns has this format; asked in the registry's order. */
    default boolean matches(Collection<String> header) {
      return header.containsAll(columns());
    }

    /**
     * Tells whether times count from an origin outside the file, so that the earliest row becomes
     * time zero. If not, they count from the trace's own time zero.
     */
    boolean isDated();

    /** Tells whether a row must not be before the row above it. If not, the rows are sorted. */
    default boolean isRising() {
      return false;
    }

    /**
     * Begins reading.
     *
     * @param rows rows of the file, before the first
     * @param seed the run's seed, for formats that leave times to chance
     */
    RowReader open(TraceRows rows, long seed) throws UserMistakeException;

    /** Reads the present row. */
    @FunctionalInterface
    interface RowReader {
      /** Adds the row's jobs, each with a kind, or leaves them out. */
      void read(int kind, TraceJobs jobs) throws UserMistakeException;
    }
  }

  /**
   * A format with a request in each row, whose time stands in one column.
   *
   * @param time column of the time
   * @param unit unit in which times count from the trace's time zero; null: they are dates with a
   *     time
   * @param columns columns by which the format is known, that of the time among them
   * @param others columns with which it is published beside them
   */
  private record TimedRows(
      String title, String time, @Nullable Unit unit, List<String> columns, List<String> others)
      implements TraceFormat {

    @Override
    public List<String> published() {
      return Stream.concat(columns.stream(), others.stream()).toList();
    }

    @Override
    public boolean isDated() {
      return unit == null;
    }

    @Override
    public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
      return unit == null ? ofDates(rows, time) : ofNumbers(rows, time, unit);
    }

    private static RowReader ofDates(TraceRows rows, String column) throws UserMistakeException {
      var times = new DateTimes(rows, column);
      return (kind, jobs) -> {
        if (times.isThere()) {
          jobs.add(times.epochNs(), kind);
        } else {
          jobs.leaveOut("without " + column, 1);
        }
      };
    }
  }

  /**
   * Azure Functions 2019: a row a function, with its invocations in each minute of a day. The times
   * within a minute are not published; the seed spreads them uniformly. Shahrad et al., "Serverless
   * in the Wild", ATC 2020.
   */
  private static final class AzureFunctions2019 implements TraceFormat {
    private static final int MINUTES = 1440;
    private static final long MINUTE_NS = 60_000_000_000L;
    private static final List<String> NAMES =
        List.of("HashOwner", "HashApp", "HashFunction", "Trigger");

    @Override
    public String title() {
      return "Azure Functions 2019";
    }

    @Override
    public List<String> columns() {
      return Stream.concat(
              NAMES.stream(), IntStream.rangeClosed(1, MINUTES).mapToObj(Integer::toString))
          .toList();
    }

    @Override
    public String shown() {
      return String.join(",", NAMES) + ",1 … " + MINUTES;
    }

    @Override
    public boolean matches(Collection<String> header) {
      return header.containsAll(NAMES) && header.contains("1");
    }

    @Override
    public boolean isDated() {
      return false;
    }

    @Override
    public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
      int[] minutes = new int[MINUTES];
      for (int minute = 0; minute < MINUTES; minute++) {
        minutes[minute] = rows.column(Integer.toString(minute + 1));
      }
      RandomStream random = RandomStream.of(seed, "trace-minutes");
      return (kind, jobs) -> {
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
          if (!jobs.leavesOut(beginNs, beginNs + MINUTE_NS - 1, count)) {
            for (long i = 0; i < count; i++) {
              jobs.add(beginNs + (long) (random.nextOpenUnit() * MINUTE_NS), kind);
            }
          }
        }
      };
    }
  }

  /**
   * Azure Functions 2021: a row an invocation, with its end and its duration in seconds. It began
   * at end − duration, so that the rows are not in the order of their beginnings.
   */
  private static final class AzureFunctions2021 implements TraceFormat {
    private static final String END = "end_timestamp";
    private static final String DURATION = "duration";

    @Override
    public String title() {
      return "Azure Functions 2021";
    }

    @Override
    public List<String> columns() {
      return List.of("app", "func", END, DURATION);
    }

    @Override
    public boolean isDated() {
      return false;
    }

    @Override
    public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
      int end = rows.column(END);
      int duration = rows.column(DURATION);
      return (kind, jobs) -> {
        if (rows.isEmpty(end) || rows.isEmpty(duration)) {
          jobs.leaveOut("without " + END + " or " + DURATION, 1);
          return;
        }
        long durationNs = rows.secondsAsNs(duration, DURATION);
        if (durationNs < 0) {
          jobs.leaveOut("with a " + DURATION + " below 0", 1);
        } else {
          jobs.add(Math.subtractExact(rows.secondsAsNs(end, END), durationNs), kind);
        }
      };
    }
  }

  /**
   * BurstGPT, with or without the columns Session ID and Elapsed time: a row a request, its time in
   * seconds from the beginning of the first day. A request without response tokens failed, and is
   * left out.
   */
  private static final class BurstGpt implements TraceFormat {
    private static final String TIME = "Timestamp";
    private static final String RESPONSE = "Response tokens";

    @Override
    public String title() {
      return "BurstGPT";
    }

    @Override
    public List<String> columns() {
      return List.of(TIME, RESPONSE);
    }

    @Override
    public List<String> published() {
      return List.of(TIME, "Model", "Request tokens", RESPONSE, "Total tokens", "Log Type");
    }

    @Override
    public boolean isDated() {
      return false;
    }

    @Override
    public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
      int time = rows.column(TIME);
      int response = rows.column(RESPONSE);
      return (kind, jobs) -> {
        if (rows.isEmpty(time)) {
          jobs.leaveOut("without " + TIME, 1);
        } else if (rows.isEmpty(response) || rows.whole(response, RESPONSE) == 0) {
          jobs.leaveOut("failed, without response tokens", 1);
        } else {
          jobs.add(rows.secondsAsNs(time, TIME), kind);
        }
      };
    }
  }

  /** Returns the reader of rows that are a request each, at a number that the unit reads. */
  static RowReader ofNumbers(TraceRows rows, String column, Unit unit) throws UserMistakeException {
    int time = rows.column(column);
    return (kind, jobs) -> {
      if (rows.isEmpty(time)) {
        jobs.leaveOut("without " + column, 1);
      } else {
        jobs.add(unit.readAsNs(rows, time, column), kind);
      }
    };
  }

  /** Reads a number of one unit as nanoseconds. */
  @FunctionalInterface
  interface Unit {
    /** Returns the present row's number in a column, whose name a mistake tells. */
    long readAsNs(TraceRows rows, int column, String name) throws UserMistakeException;
  }

  /**
   * A trace of the user's own, CSV or JSON Lines: {@code time_s} in seconds from the trace's time
   * zero, rising; optionally class, workload, backend, precision, samples, slo_ms.
   */
  static final class OwnTrace implements TraceFormat {
    private static final String TIME = "time_s";

    /** Seconds since 1970 of a day in 2001, and of one in 2286: times between them are dates. */
    private static final BigDecimal DATES_FROM = BigDecimal.valueOf(1_000_000_000L);

    private static final BigDecimal DATES_TO = BigDecimal.valueOf(10_000_000_000L);

    @Override
    public String title() {
      return "a trace of your own";
    }

    @Override
    public List<String> columns() {
      return List.of(TIME);
    }

    @Override
    public String shown() {
      return "time_s; optionally " + String.join(",", Replay.ATTRIBUTES);
    }

    @Override
    public boolean isDated() {
      return false;
    }

    @Override
    public boolean isRising() {
      return true;
    }

    @Override
    public RowReader open(TraceRows rows, long seed) throws UserMistakeException {
      RowReader reader = ofNumbers(rows, TIME, TraceRows::secondsAsNs);
      int time = rows.column(TIME);
      return (kind, jobs) -> {
        if (jobs.read() == 0) {
          refuseFineDates(rows, time);
        }
        reader.read(kind, jobs);
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
}
