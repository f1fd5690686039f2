package dev.sluice.harness.simulate;

import dev.sluice.analytics.row.JobColumns;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.fact.Prediction;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobName;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.simulation.SimulationListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a simulation tells of each job and batch, as numbers in blocks: a thread that makes rows of
 * them reads few neighbouring numbers instead of a dozen objects that another processor has just
 * written. {@link TapedRows} reads the blocks.
 */
@SuppressWarnings("EnumOrdinal") // the numbers of constants leave neither process nor version
final class RowTape implements SimulationListener {
  /** Kinds of entries, in the lowest bits of their first number. */
  static final int REQUESTED = 0;

  static final int STARTED = 1;
  static final int COMPLETED = 2;
  static final int ENDED = 3;
  static final int TOLD = 4;

  /** Objects that follow a batch's start, as bits. */
  static final int WITH_PLACE = 1;

  static final int WITH_VERSION = 2;
  static final int WITH_TERMS = 4;

  /** Batch of a job's end that only its name tells. */
  static final int BATCH_BY_NAME = JobColumns.NONE - 1;

  /** Numbers of each kind of entry; those of a batch's jobs follow its start. */
  static final int NUMBERS_OF_REQUEST = 5;

  static final int NUMBERS_OF_START = 14;
  static final int NUMBERS_OF_COMPLETION = 8;
  static final int NUMBERS_OF_END = 5;

  private static final int NUMBERS = 1 << 13;

  private final Consumer<Block> taker;
  private Block block = new Block(NUMBERS);

  /** Lanes by shard and index; a batch on several of them is at the first one. */
  private final Lane[][] lanes;

  /** Number of batches that have started, each of which is a row. */
  private int batches;

  private @Nullable DispatchName completed;
  private int completedShard;
  private int completedBatch;

  /** Some entries: their numbers, and the objects that they name, in the order of the entries. */
  static final class Block {
    final long[] numbers;
    final List<Object> objects = new ArrayList<>();
    int size;

    Block(int length) {
      numbers = new long[length];
    }
  }

  /** A batch that runs, with its number. */
  private record Running(DispatchName name, int batch) {}

  /** A lane with its batches, of which all but one wait there, and where the last one ran. */
  private static final class Lane {
    final List<Running> batches = new ArrayList<>(2);
    Dispatch.@Nullable Place place;

    /** Returns whether the last batch ran at the same place. */
    boolean isAt(Dispatch.Place now) {
      Dispatch.Place last = place;
      return last != null
          && last.incarnation() == now.incarnation()
          && last.executorId().equals(now.executorId())
          && last.lanes().equals(now.lanes());
    }
  }

  /**
   * @param shards number of shards
   * @param lanesOfShard number of lanes of each
   * @param taker takes each block, which is then its own
   */
  RowTape(int shards, int lanesOfShard, Consumer<Block> taker) {
    this.taker = taker;
    lanes = new Lane[shards][lanesOfShard];
    for (Lane[] ofShard : lanes) {
      for (int lane = 0; lane < lanesOfShard; lane++) {
        ofShard[lane] = new Lane();
      }
    }
  }

  /** Hands over what was told since the last block. */
  void end() {
    taker.accept(block);
    block = new Block(NUMBERS);
  }

  /** Takes room for an entry, and returns its place in the block. */
  private int room(int numbers) {
    if (block.size + numbers > block.numbers.length) {
      taker.accept(block);
      block = new Block(Math.max(NUMBERS, numbers));
    }
    int at = block.size;
    block.size = at + numbers;
    return at;
  }

  private static long two(int low, int high) {
    return (low & 0xffff_ffffL) | (long) high << Integer.SIZE;
  }

  static int low(long two) {
    return (int) two;
  }

  static int high(long two) {
    return (int) (two >> Integer.SIZE);
  }

  private static int number(JobName job) {
    if (!job.isNumbered()) {
      throw new IllegalArgumentException("(" + job + ") is no job of a list of requests");
    }
    return (int) job.number();
  }

  @Override
  public void requested(int shard, long appendedAtNs, JobSpec job, long sentAtNs) {
    int at = room(NUMBERS_OF_REQUEST);
    long[] to = block.numbers;
    to[at] = two(REQUESTED, shard);
    to[at + 1] = two((int) job.index(), job.source());
    to[at + 2] = appendedAtNs;
    to[at + 3] = job.intendedAtNs();
    to[at + 4] = sentAtNs;
  }

  @Override
  public void started(int shard, long appendedAtNs, Dispatch dispatch) {
    DispatchName name = dispatch.name();
    int number = dispatch.lanes().get(0);
    Lane lane = lanes[shard][number];
    int batch = batches++;
    lane.batches.add(new Running(name, batch));
    List<JobSpec> jobs = dispatch.jobs();
    int count = jobs.size();
    int at = room(NUMBERS_OF_START + count);
    long[] to = block.numbers;
    to[at] = two(STARTED, shard);
    to[at + 1] = name.factId();
    to[at + 2] = two(name.index(), number);
    to[at + 3] = two(dispatch.samples(), dispatch.tokens());
    to[at + 4] = two(count, dispatch.attempt());
    to[at + 5] = dispatch.decidedAtNs();
    to[at + 6] = appendedAtNs;
    int with = lane.isAt(dispatch.place()) ? 0 : WITH_PLACE;
    if (with != 0) {
      lane.place = dispatch.place();
      block.objects.add(dispatch.place());
    }
    Prediction prediction = dispatch.prediction();
    String version = prediction.modelVersion();
    if (version != null) {
      with |= WITH_VERSION;
      block.objects.add(version);
    }
    if (!dispatch.scoreTerms().isEmpty()) {
      with |= WITH_TERMS;
      block.objects.add(dispatch.scoreTerms());
    }
    to[at + 7] = with;
    to[at + 8] = two(prediction.busyLanes(), prediction.source().ordinal());
    to[at + 9] = prediction.meanNs();
    to[at + 10] = orNone(prediction.quantileNs());
    to[at + 11] = orNone(prediction.p95Ns());
    to[at + 12] = orNone(prediction.p99Ns());
    to[at + 13] = batch;
    for (int i = 0; i < count; i++) {
      to[at + NUMBERS_OF_START + i] = jobs.get(i).index();
    }
  }

  private static long orNone(@Nullable Long ns) {
    return ns == null ? Jobs.NONE : ns;
  }

  @Override
  public void completed(int shard, long appendedAtNs, CoreFact.BatchCompleted fact, Ran ran) {
    completed = fact.dispatch();
    completedShard = shard;
    completedBatch = end(lanes[shard][fact.lane()], fact.dispatch());
    int at = room(NUMBERS_OF_COMPLETION);
    long[] to = block.numbers;
    to[at] = two(COMPLETED, shard);
    to[at + 1] = two(completedBatch, fact.result().ordinal());
    to[at + 2] = appendedAtNs;
    to[at + 3] = ran.startedAtNs();
    to[at + 4] = ran.endedAtNs();
    to[at + 5] = fact.serviceNs();
    to[at + 6] = ran.workNs();
    String cause = fact.cause();
    to[at + 7] = two(ran.busyLanes(), cause == null ? 0 : 1);
    if (cause != null) {
      block.objects.add(cause);
    }
  }

  @Override
  public void ended(int shard, long appendedAtNs, JobEnd end) {
    DispatchName dispatch = end.dispatch();
    int batch = dispatch == null ? JobColumns.NONE : batch(shard, dispatch);
    int at = room(NUMBERS_OF_END + (batch == BATCH_BY_NAME ? 2 : 0));
    long[] to = block.numbers;
    to[at] = two(ENDED, shard);
    to[at + 1] = two(number(end.job()), end.status().ordinal());
    to[at + 2] = two(batch, (end.attempt() << 1) | (end.reason() == null ? 0 : 1));
    to[at + 3] = appendedAtNs;
    to[at + 4] = end.endedAtNs();
    if (dispatch != null && batch == BATCH_BY_NAME) {
      to[at + 5] = dispatch.factId();
      to[at + 6] = dispatch.index();
    }
    if (end.reason() != null) {
      block.objects.add(end.reason());
    }
  }

  /** Takes a batch off its lane, and returns its number. */
  private static int end(Lane lane, DispatchName name) {
    List<Running> running = lane.batches;
    for (int i = 0; i < running.size(); i++) {
      if (running.get(i).name().equals(name)) {
        return running.remove(i).batch();
      }
    }
    throw new IllegalStateException("the lane ran no batch " + name);
  }

  /** The number of a batch that ended a job: nearly always of the one that ended last. */
  private int batch(int shard, DispatchName name) {
    return shard == completedShard && name.equals(completed) ? completedBatch : BATCH_BY_NAME;
  }

  private void tell(ToldBeside.Call call) {
    int at = room(1);
    block.numbers[at] = TOLD;
    block.objects.add(call);
  }

  @Override
  public void reported(
      int shard,
      long appendedAtNs,
      CoreFact.ExecutorReported report,
      List<List<DispatchName>> held) {
    tell(to -> to.reported(shard, appendedAtNs, report, held));
  }

  @Override
  public void appended(int shard, long appendedAtNs, CoreFact fact) {
    tell(to -> to.appended(shard, appendedAtNs, fact));
  }

  @Override
  public void blocked(int shard, long appendedAtNs, long fromNs, long toNs, Cause cause) {
    tell(to -> to.blocked(shard, appendedAtNs, fromNs, toNs, cause));
  }
}
