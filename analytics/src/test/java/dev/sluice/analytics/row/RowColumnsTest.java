package dev.sluice.analytics.row;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.statistic.Space;
import dev.sluice.contract.event.BatchCompleted.Result;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/**
 * Columns that keep a number as its distance from another one tell the number itself, on the heap
 * and in a file.
 */
final class RowColumnsTest {
  private static final long ZERO_EPOCH_MS = 1_000_000_000_000L;
  private static final int ROWS = 10 << 14; // whole pieces of columns

  /** A batch as the log tells it; a time that there is not is {@link Jobs#NONE}. */
  record Told(
      boolean completedFirst,
      boolean isCompleted,
      long decidedNs,
      long dispatchedMs,
      long startNs,
      long finishNs,
      long serviceNs,
      long completedMs,
      long meantNs) {}

  @Provide
  Arbitrary<Told> told() {
    Arbitrary<Boolean> either = Arbitraries.of(true, false);
    Arbitrary<Long> ns = Arbitraries.longs().between(-1_000_000_000_000L, 1L << 60);
    Arbitrary<Long> ms = Arbitraries.longs().between(0, 2 * ZERO_EPOCH_MS);
    Arbitrary<Long> maybeNs = ns.injectNull(0.2).map(at -> at == null ? Jobs.NONE : at);
    Arbitrary<Long> length = Arbitraries.longs().between(0, 1L << 60);
    Arbitrary<Long> maybeLength = length.injectNull(0.5).map(at -> at == null ? Jobs.NONE : at);
    return Combinators.combine(either, either, ns, ms, maybeNs, maybeNs, length, ms)
        .flatAs(
            (first, completed, decided, dispatched, start, finish, service, at) ->
                maybeLength.map(
                    meant ->
                        new Told(
                            first,
                            completed,
                            decided,
                            dispatched,
                            start,
                            finish,
                            service,
                            at,
                            meant)));
  }

  @Property
  void batchesAreWhatWasTold(
      @ForAll("told") Told one, @ForAll("told") Told other, @ForAll boolean inFile) {
    var space = new Space(inFile ? 0 : Long.MAX_VALUE);
    var columns = new BatchColumns(space);
    List<Told> all = List.of(one, other, one);
    for (int row = 0; row < all.size(); row++) {
      tell(columns, columns.add(0, row, 0), all.get(row));
    }
    var batches = new Batches(columns, new JobColumns(space), ZERO_EPOCH_MS);
    for (int row = 0; row < all.size(); row++) {
      Told told = all.get(row);
      boolean completed = told.isCompleted;
      assertThat(batches.decidedAtNs(row)).isEqualTo(told.decidedNs);
      assertThat(batches.appendedAtNs(row)).isEqualTo(sinceZeroNs(told.dispatchedMs));
      assertThat(batches.startedAtNs(row)).isEqualTo(completed ? told.startNs : Jobs.NONE);
      assertThat(batches.finishedAtNs(row)).isEqualTo(completed ? told.finishNs : Jobs.NONE);
      assertThat(batches.serviceNs(row)).isEqualTo(completed ? told.serviceNs : 0);
      assertThat(batches.emulatedServiceNs(row)).isEqualTo(completed ? told.meantNs : Jobs.NONE);
      assertThat(batches.completedAtNs(row))
          .isEqualTo(completed ? sinceZeroNs(told.completedMs) : Jobs.NONE);
    }
  }

  private static long sinceZeroNs(long epochMs) {
    return (epochMs - ZERO_EPOCH_MS) * 1_000_000;
  }

  private static void tell(BatchColumns columns, int row, Told told) {
    if (told.isCompleted && told.completedFirst) {
      complete(columns, row, told);
    }
    columns.dispatched(row, 0, 0, 1, 1, 1);
    columns.member(row);
    columns.decided(row, 1, told.decidedNs, told.dispatchedMs, Map.of());
    if (told.isCompleted && !told.completedFirst) {
      complete(columns, row, told);
    }
  }

  private static void complete(BatchColumns columns, int row, Told told) {
    columns.completed(row, Result.DONE, null);
    columns.ran(row, told.startNs, told.finishNs, told.serviceNs, 0, told.completedMs);
    columns.lane(row, told.meantNs, 1);
  }

  @Property
  void jobsAreWhatWasTold(
      @ForAll @Size(min = 1, max = 5) List<@LongRange(min = 0) Long> promisesNs,
      @ForAll boolean inFile) {
    var space = new Space(inFile ? 0 : Long.MAX_VALUE);
    var columns = new JobColumns(space);
    for (int row = 0; row < promisesNs.size(); row++) {
      int kind = row % 2;
      columns.requested(columns.row(row), kind, 0, row, 1, promisesNs.get(row));
      columns.requestedAt(row, row, row, 0, ZERO_EPOCH_MS + promisesNs.get(row) % 1000);
      columns.ended(row, JobStatus.DROPPED, null, JobColumns.NONE, 1);
      columns.endedAt(row, 7_000_000L * row, ZERO_EPOCH_MS + promisesNs.get(row) % 999);
    }
    var jobs =
        new Jobs(columns, new Batches(new BatchColumns(space), columns, 0), ZERO_EPOCH_MS, 0, 0);
    for (int row = 0; row < promisesNs.size(); row++) {
      assertThat(jobs.sloNs(row)).isEqualTo(promisesNs.get(row));
      assertThat(jobs.appendedAtNs(row)).isEqualTo(promisesNs.get(row) % 1000 * 1_000_000);
      assertThat(jobs.observedAtNs(row)).isEqualTo(promisesNs.get(row) % 999 * 1_000_000);
    }
  }

  @Test
  void whatFollowsFromOtherNumbers_takesNoRoom() {
    // fact, decision, start and service take eight bytes, place, tokens, end and lanes four
    var space = new Space((long) ROWS * (4 * 8 + 4 * 4));
    var columns = new BatchColumns(space);
    for (int row = 0; row < ROWS; row++) {
      long ns = 5_000_000L * row;
      Told told = new Told(false, true, ns, ms(ns), ns, ns + row, row, ms(ns + row), row);
      tell(columns, columns.add(0, row, 0), told);
    }
    assertThat(space.fileBytes()).isZero();
  }

  private static long ms(long ns) {
    return ZERO_EPOCH_MS + ns / 1_000_000;
  }
}
