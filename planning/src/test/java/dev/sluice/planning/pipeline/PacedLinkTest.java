package dev.sluice.planning.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.planning.pipeline.PacedLink.Frames;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** The pace of a link in virtual time, and its frames. */
final class PacedLinkTest {
  private static final double BITS_PER_SECOND = 1e9;
  private static final int BYTES = 12_500_000;

  /** Time that the bytes take at the bandwidth. */
  private static final long NS = 100_000_000;

  private static final Offset<Long> ROUNDED = within(200L);

  private long nowNs;

  @Test
  void takesTheTimeOfItsBandwidth() throws Exception {
    var channel = new Receiver(0);
    PacedLink link = link(channel);

    assertThat(link.sendNs(0, ByteBuffer.allocate(BYTES))).isCloseTo(NS, ROUNDED);
    assertThat(nowNs).isCloseTo(NS, ROUNDED);
    assertThat(channel.bytes).isEqualTo(BYTES + PacedLink.HEADER_BYTES);
  }

  @Test
  void takesNoLonger_whenWritingTakesTimeItself() throws Exception {
    assertThat(link(new Receiver(300_000)).sendNs(0, ByteBuffer.allocate(BYTES)))
        .isCloseTo(NS, within(4_000_000L));
    assertThat(nowNs).isCloseTo(NS, within(4_000_000L));
  }

  @Test
  void doesNotCatchUpWithWhatAFullReceiverCost_norCountIt() throws Exception {
    var channel = new Receiver(0);
    channel.fullNs = 50_000_000; // once, at the first piece
    PacedLink link = link(channel);

    long busyNs = link.sendNs(0, ByteBuffer.allocate(BYTES));

    assertThat(nowNs).isBetween(NS + 35_000_000, NS + 50_000_000);
    assertThat(busyNs).isLessThanOrEqualTo(NS);
  }

  @Test
  void sendsAtOnce_whenTheBandwidthIsInfinite() throws Exception {
    var link =
        new PacedLink(new Receiver(0), Double.POSITIVE_INFINITY, () -> nowNs, at -> nowNs = at);

    link.sendNs(0, ByteBuffer.allocate(BYTES));

    assertThat(nowNs).isZero();
  }

  @Test
  void framesArriveAsTheyWereSent() throws Exception {
    var sent = new ByteArrayOutputStream();
    PacedLink link = link(Channels.newChannel(sent));
    link.sendNs(7, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    link.sendNs(PacedLink.END, ByteBuffer.wrap(new byte[] {4}));

    Frames frames = frames(sent.toByteArray());
    ByteBuffer got = ByteBuffer.allocate(3);
    assertThat(frames.next()).isEqualTo(7);
    frames.readInto(got);
    assertThat(got.array()).containsExactly(1, 2, 3);
    assertThat(frames.next()).isEqualTo(PacedLink.END);
    assertThat(frames.readEnd()).containsExactly(4);
    assertThatThrownBy(frames::next).isInstanceOf(EOFException.class);
  }

  @Test
  void refusesAFrameOfAnotherLength() throws Exception {
    var sent = new ByteArrayOutputStream();
    link(Channels.newChannel(sent)).sendNs(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    Frames frames = frames(sent.toByteArray());
    frames.next();

    assertThatThrownBy(() -> frames.readInto(ByteBuffer.allocate(4)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a frame has (3) bytes, not (4)");
  }

  private PacedLink link(WritableByteChannel channel) {
    return new PacedLink(channel, BITS_PER_SECOND, () -> nowNs, at -> nowNs = Math.max(nowNs, at));
  }

  private static Frames frames(byte[] bytes) {
    return new Frames(Channels.newChannel(new ByteArrayInputStream(bytes)));
  }

  /** Takes all bytes; each piece takes a time, and one piece longer. */
  private final class Receiver implements WritableByteChannel {
    private final long pieceNs;
    private long fullNs;
    private long bytes;

    Receiver(long pieceNs) {
      this.pieceNs = pieceNs;
    }

    @Override
    public int write(ByteBuffer from) {
      int taken = from.remaining();
      if (taken > PacedLink.HEADER_BYTES) {
        nowNs += pieceNs + fullNs;
        fullNs = 0;
      }
      bytes += taken;
      from.position(from.limit());
      return taken;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
