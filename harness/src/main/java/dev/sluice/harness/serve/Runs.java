package dev.sluice.harness.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.log.EventCodec;
import java.io.IOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The runs that a server shows. Any thread. */
interface Runs extends AutoCloseable {
  byte[] list() throws IOException;

  /** The run with this id; null: there is none. The id is looked up, and never part of a path. */
  @Nullable Shown find(String id) throws IOException;

  @Override
  void close();

  /** A run that the page can show, live or finished. All values are JSON. Any thread. */
  sealed interface Shown permits LiveRun, FolderRun {
    int SECONDS_MAX = 600;

    int BATCHES_MAX = 4000;

    byte[] run() throws IOException;

    byte[] snapshot() throws IOException;

    /** At most {@value #SECONDS_MAX} windows, in the form of the topic, from a second on. */
    byte[] seconds(long fromS) throws IOException;

    static long second(MetricsWindow window) {
      return window.fromNs() / 1_000_000_000L;
    }

    /** The first of these windows, and the number of the next one. */
    static byte[] seconds(Collection<MetricsWindow> windows) {
      ObjectNode json = JsonNodeFactory.instance.objectNode();
      ArrayNode seconds = json.putArray("seconds");
      Long next = null;
      for (MetricsWindow window : windows) {
        if (seconds.size() == SECONDS_MAX) {
          next = second(window);
          break;
        }
        seconds.addRawValue(new RawValue(new String(EventCodec.METRICS.write(window), UTF_8)));
      }
      return bytes(json.put("next", next));
    }

    static byte[] bytes(ObjectNode json) {
      return json.toString().getBytes(UTF_8);
    }

    /** At most {@value #BATCHES_MAX} batches that ran between two seconds since time zero. */
    byte[] batches(double fromS, double toS) throws IOException;
  }
}
