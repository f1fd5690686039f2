package dev.sluice.scheduler.topology;

import dev.sluice.scheduler.topology.SchedulerProcessor.WakeUps;
import java.util.ArrayList;
import java.util.List;

/** Wake-ups that keep the times which the processor asks for. */
final class RecordingWakeUps implements WakeUps {
  /** Wake-ups that were asked for, in order. */
  final List<Long> askedNs = new ArrayList<>();

  @Override
  public void wakeAt(int shard, long timeZeroEpochMs, long atNs) {
    askedNs.add(atNs);
  }

  @Override
  public void ticked(int shard) {}

  @Override
  public void forget(int shard) {}
}
