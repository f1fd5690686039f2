package dev.sluice.executor.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import smile.data.DataFrame;
import smile.data.Tuple;
import smile.data.formula.Formula;
import smile.data.vector.DoubleVector;
import smile.regression.RegressionTree;

/** Our trees beside Smile's. */
final class TreeTest {
  private static final String[] COLUMNS = {"a", "b", "c"};
  private static final DataFrame X = DataFrame.of(rows(400, 1), COLUMNS);
  private static final RegressionTree SMILE = smile();

  private static double[][] rows(int count, long seed) {
    var random = new Random(seed);
    double[][] rows = new double[count][];
    for (int i = 0; i < count; i++) {
      rows[i] = new double[] {random.nextInt(2), random.nextGaussian() * 1e9, random.nextInt(9)};
    }
    return rows;
  }

  private static RegressionTree smile() {
    double[] y = new double[X.nrows()];
    var noise = new Random(2);
    for (int i = 0; i < y.length; i++) {
      y[i] = X.getDouble(i, 0) * X.getDouble(i, 2) + X.getDouble(i, 1) / 1e9 + noise.nextGaussian();
    }
    return RegressionTree.fit(Formula.lhs("y"), X.merge(DoubleVector.of("y", y)), 20, 200, 2);
  }

  @Test
  void givesWhatSmileGives_toTheLastBit_forRowsThatItSawAndOthers() {
    Tree tree = Tree.of(SMILE, X.schema());
    assertThat(SMILE.size()).isGreaterThan(100);
    for (double[] row : rows(2_000, 1)) {
      assertThat(tree.of(row)).isEqualTo(SMILE.predict(Tuple.of(row, X.schema())));
    }
  }

  @Test
  void givesTheSame_whenItWasWrittenAndRead() throws IOException {
    Tree tree = Tree.of(SMILE, X.schema());
    Tree read = read(written(tree), 3);
    for (double[] row : rows(500, 3)) {
      assertThat(read.of(row)).isEqualTo(tree.of(row));
    }
  }

  @Test
  void isRefused_whenASplitAsksForAColumnThatIsNotThere() throws IOException {
    byte[] bytes = written(Tree.of(SMILE, X.schema()));
    assertThatThrownBy(() -> read(bytes, 1))
        .isInstanceOf(IOException.class)
        .hasMessage("a split leads nowhere");
  }

  @Test
  void isRefused_whenItTellsOfMoreNodesThanThereAreBytes() throws IOException {
    byte[] bytes = written(Tree.of(SMILE, X.schema()));
    bytes[0] = 0x7f;
    assertThatThrownBy(() -> read(bytes, 3))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("it claims to hold 2130706");
  }

  private static byte[] written(Tree tree) throws IOException {
    var bytes = new ByteArrayOutputStream();
    tree.write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  private static Tree read(byte[] bytes, int columns) throws IOException {
    return Tree.read(new DataInputStream(new ByteArrayInputStream(bytes)), columns);
  }
}
