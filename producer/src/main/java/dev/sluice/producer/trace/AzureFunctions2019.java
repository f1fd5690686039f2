package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.producer.arrivals.RandomStream;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Azure Functions 2019: a row a function, with its invocations in each minute of a day. The times
 * within a minute are not published; the seed spreads them uniformly. Shahrad et al., "Serverless
 * in the Wild", ATC 2020.
 */
final class AzureFunctions2019 implements TraceFormat {
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
        if (rows.isZero(column)) {
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
