# frozen_string_literal: true

# smoke.rb HOST:PORT LOG_KEY VECTORS: deals, settles and verifies one round of Mau Binh; prints one line of JSON.
require "json"
require "securerandom"

require "receipt"
require "referee/v1/mau_binh_services_pb"
require "referee/v1/shuffler_services_pb"

SEATS = 4
V1 = Referee::V1

# How soon a server that is back is found: the pause between attempts grows to 2 s and not to 2 min.
RECONNECTING = {
  "grpc.initial_reconnect_backoff_ms" => 200,
  "grpc.max_reconnect_backoff_ms" => 2000,
  "grpc.min_reconnect_backoff_ms" => 5000,
}.freeze

def check_rows(folder, name)
  File.readlines(File.join(folder, "#{name}.jsonl"), encoding: "UTF-8").count do |line|
    row = JSON.parse(line)
    yield(row) or abort("#{name} #{row["id"]}: #{row["why"]}")
  end
end

def hex(text)
  [text].pack("H*")
end

def holds?(row)
  Receipt.verify(row["receipt"], leaf: hex(row["leaf"]), origin: row["origin"], keys: row["keys"])
  true
rescue Receipt::Refused
  false
end

def play(address, log_key)
  options = { timeout: 60, channel_args: RECONNECTING }
  shuffler = V1::ShufflerService::Stub.new(address, :this_channel_is_insecure, **options)
  referee = V1::MauBinhService::Stub.new(address, :this_channel_is_insecure, **options)

  table = "smoke-ruby-#{SecureRandom.hex(6)}"
  terms = V1::RoundTerms.new(
    table_id: table, ruleset_id: "mau_binh.classic", seat_count: SEATS, currency: "CHIP", stake_minor: 10
  )
  opened = shuffler.open_round(V1::OpenRoundRequest.new(terms: terms))
  seeds = Array.new(SEATS) { SecureRandom.bytes(32) }
  dealt = shuffler.deal_round(V1::DealRoundRequest.new(round: opened.header.round, client_seeds: seeds))
  round = V1::MauBinhRound.new(header: opened.header, certificates: [dealt.certificate])
  preview = referee.preview_round(V1::MauBinhServicePreviewRoundRequest.new(round: round))
  unless preview.violations.empty? # nobody has won at once: every seat puts its cards down as they were dealt
    dealt.hands.each do |hand|
      cards = hand.cards.to_a
      arrangement = V1::Arrangement.new(back: cards[0, 5], middle: cards[5, 5], front: cards[10, 3])
      round.events << V1::MauBinhEvent.new(time: dealt.dealt_time, seat: hand.seat, arrange: arrangement)
    end
  end
  settled = referee.settle_round(V1::MauBinhServiceSettleRoundRequest.new(round: round))
  abort(settled.violations.inspect) unless settled.violations.empty?

  receipt = settled.log_receipt
  proof = receipt.inclusion_proof.map { |hash| "#{Base64.strict_encode64(hash)}\n" }.join
  text = "c2sp.org/tlog-proof@v1\nindex #{receipt.leaf_index}\n#{proof}\n#{receipt.checkpoint}"
  size = Receipt.verify(text, leaf: receipt.leaf, origin: log_key.split("+").first, keys: [log_key])
  {
    table_id: table,
    leaf_index: receipt.leaf_index,
    leaf_sha256: OpenSSL::Digest::SHA256.hexdigest(receipt.leaf),
    tree_size: size,
    net: settled.outcome.seats.map(&:net_minor)
  }
end

address, log_key, vectors = ARGV
checked = {
  "log/receipt" => check_rows(vectors, "log/receipt") { |row| holds?(row) == row["holds"] },
  "log/merkle_inclusion" => check_rows(vectors, "log/merkle_inclusion") do |row|
    proof = row["proof"].map { |hash| hex(hash) }
    Receipt.included?(
      hex(row["leaf_hash"]), index: row["index"], size: row["size"], proof: proof, root: hex(row["root"])
    )
  end,
  "evidence/ed25519_signatures" => check_rows(vectors, "evidence/ed25519_signatures") do |row|
    Receipt.signed?(hex(row["signature"]), hex(row["message"]), hex(row["public_key"])) == row["holds"]
  end
}
begin
  puts JSON.generate({ vectors: checked, **play(address, log_key) })
rescue GRPC::BadStatus, Receipt::Refused => e
  abort(e.message)
end
