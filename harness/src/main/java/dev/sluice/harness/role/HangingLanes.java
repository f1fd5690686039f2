package dev.sluice.harness.role;

import dev.sluice.executor.dispatch.Executor.LaneFaults;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Faults of lanes that hang on command, as inference does that never returns. */
public final class HangingLanes implements LaneFaults {
  private static final Logger LOG = LoggerFactory.getLogger(HangingLanes.class);
  private static final Pattern HANG = Pattern.compile("hang (\\d{1,6})");

  private final Set<Integer> toHang = ConcurrentHashMap.newKeySet();

  /** Obeys {@code hang LANE}; any other line is logged, and does nothing. */
  public void take(String line) {
    Matcher matcher = HANG.matcher(line.strip());
    if (matcher.matches()) {
      toHang.add(Integer.valueOf(matcher.group(1)));
    } else {
      LOG.warn("no fault is called ({})", line);
    }
  }

  @Override
  public void beforeInference(int lane) {
    if (toHang.remove(lane)) {
      LOG.warn("lane {} hangs from here on, as told", lane);
      while (true) {
        LockSupport.park(this);
      }
    }
  }
}
