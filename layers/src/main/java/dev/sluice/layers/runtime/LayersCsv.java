package dev.sluice.layers.runtime;

import dev.sluice.layers.engine.LayerTrace.Row;
import java.io.IOException;
import java.io.Writer;
import java.util.List;

/** layers.csv: a row for each operation, in the order of their ends. */
final class LayersCsv {
  private static final String HEADER =
      "step,hook,operation,layer,thread,start_ns,end_ns,bytes,resident_bytes\n";

  private final Writer out;
  private final List<String> names;

  /**
   * @param names names of the layers, which hold no comma
   */
  LayersCsv(Writer out, List<String> names) throws IOException {
    this.out = out;
    this.names = names;
    out.write(HEADER);
  }

  void add(Row row) throws IOException {
    out.write(
        row.step()
            + ","
            + row.hook()
            + ","
            + row.operation()
            + ","
            + names.get(row.layer())
            + ","
            + row.thread()
            + ","
            + row.startNs()
            + ","
            + row.endNs()
            + ","
            + row.bytes()
            + ","
            + row.residentBytes()
            + "\n");
  }
}
