package dev.sluice.contract.log;

import dev.sluice.contract.event.Event;
import java.util.List;
import java.util.stream.Stream;

/**
 * The topics of a run, {@code <prefix>.<name>}.
 *
 * @param prefix the run's id, or a fixed name in an online deployment
 */
public record Topics(String prefix) {
  public String runs() {
    return prefix + ".runs";
  }

  public String facts() {
    return prefix + ".facts";
  }

  public String dispatches() {
    return prefix + ".dispatches";
  }

  public String outcomes() {
    return prefix + ".outcomes";
  }

  public String metrics() {
    return prefix + ".metrics";
  }

  public String deadLetters() {
    return prefix + ".dead-letters";
  }

  /** Returns the codec of one of these topics: runs, facts, dispatches or outcomes. */
  public EventCodec<? extends Event> codec(String topic) {
    if (topic.equals(facts())) {
      return EventCodec.FACTS;
    }
    if (topic.equals(dispatches())) {
      return EventCodec.DISPATCHES;
    }
    return topic.equals(runs()) ? EventCodec.RUNS : EventCodec.OUTCOMES;
  }

  public List<String> sharded() {
    return List.of(facts(), dispatches(), outcomes());
  }

  public List<String> unsharded() {
    return List.of(runs(), metrics(), deadLetters());
  }

  public List<String> all() {
    return Stream.concat(sharded().stream(), unsharded().stream()).toList();
  }
}
